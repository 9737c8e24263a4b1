package dev.cloche.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RuntimeIndexTest {
    private static final String DIGEST = "0".repeat(64);

    private static RuntimeIndex parse(String text) {
        return RuntimeIndex.parse(text.getBytes(StandardCharsets.UTF_8));
    }

    @Test
    void listsFilesWithSizeDigestAndWhetherTheyAreExecutable() {
        RuntimeIndex index = parse("cloche-runtime 1\n0755 12 " + DIGEST + " cloche-guard\n0644 0 " + DIGEST
                + " images/base/oci-layout\n");
        assertThat(index.entries())
                .containsExactly(
                        new RuntimeIndex.Entry("cloche-guard", 12, DIGEST, true),
                        new RuntimeIndex.Entry("images/base/oci-layout", 0, DIGEST, false));
        assertThat(index.digest()).matches("[0-9a-f]{64}");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "../escaped",
                "/absolute",
                "a/../../b",
                "a//b",
                "a/./b",
                ".hidden",
                "a/.lock",
                "with blank",
                "ünicode",
                "a/b/c/d/e/f/g/h/i",
                "newline\n0644",
                ""
            })
    void refusesPathsThatLeadElsewhere(String path) {
        assertThatExceptionOfType(RuntimeUnusable.Damaged.class)
                .isThrownBy(() -> parse("cloche-runtime 1\n0644 1 " + DIGEST + " " + path + "\n"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "cloche-runtime 2\n0644 1 0 a",
                "cloche-runtime 1\n",
                "cloche-runtime 1\n0777 1 0000000000000000000000000000000000000000000000000000000000000000 a\n",
                "cloche-runtime 1\n0644 -1 0000000000000000000000000000000000000000000000000000000000000000 a\n",
                "cloche-runtime 1\n0644 99999999999 0000000000000000000000000000000000000000000000000000000000000000 a\n",
                "cloche-runtime 1\n0644 1 00 a\n"
            })
    void refusesWhatIsNoIndex(String text) {
        assertThatExceptionOfType(RuntimeUnusable.Damaged.class).isThrownBy(() -> parse(text));
    }

    @Test
    void refusesAFileThatIsListedTwiceAndListsWithoutEnd() {
        String line = "0644 1 " + DIGEST + " a\n";
        assertThatExceptionOfType(RuntimeUnusable.Damaged.class)
                .isThrownBy(() -> parse("cloche-runtime 1\n" + line + line));
        StringBuilder many = new StringBuilder("cloche-runtime 1\n");
        for (int i = 0; i < 5000; i++) {
            many.append("0644 1 ").append(DIGEST).append(" a").append(i).append('\n');
        }
        assertThatExceptionOfType(RuntimeUnusable.Damaged.class).isThrownBy(() -> parse(many.toString()));
    }
}
