package dev.cloche.cli.sandbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cloche.cli.terminal.UsageError;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Where secrets of a sandbox come from. */
class SecretSourceTest {
    private static final OwnEnvironment ENVIRONMENT = new OwnEnvironment(
            "A=1\0TOKENS=no\0TOKEN=s=3\u00e9\0EMPTY=\0TOKEN=second\0".getBytes(StandardCharsets.UTF_8));

    @TempDir
    Path directory;

    private static String read(String option) {
        return new String(SecretSource.parse(option).read(ENVIRONMENT), StandardCharsets.UTF_8);
    }

    @Test
    void aNameIsThatOfAVariable() {
        assertThat(SecretSource.parse("TOKEN").name()).isEqualTo("TOKEN");
        assertThat(read("TOKEN")).isEqualTo("s=3\u00e9");
        assertThat(read("EMPTY")).isEmpty();
    }

    @Test
    void anotherVariableOrAFileIsNamedAsForBuildKit() throws IOException {
        Path file = Files.write(directory.resolve("key"), new byte[] {0, -1, '\n'});
        assertThat(SecretSource.parse("env=A,id=key").name()).isEqualTo("key");
        assertThat(read("id=key,env=A")).isEqualTo("1");
        assertThat(SecretSource.parse("id=key,src=" + file).read(ENVIRONMENT)).containsExactly(0, -1, '\n');
        assertThat(SecretSource.parse("id=key,source=" + file).name()).isEqualTo("key");
    }

    @Test
    void bytesThatAreNoTextComeThrough() {
        OwnEnvironment raw = new OwnEnvironment(new byte[] {'K', '=', -1, -2, 0});
        assertThat(SecretSource.parse("K").read(raw)).containsExactly(-1, -2);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "TOKEN=hunter2",
                "id=TOKEN,value=hunter2",
                "id=TOKEN",
                "env=A",
                "id=a,id=b,env=A",
                "id=a,env=A,src=b",
                "a,b",
                "hunter2,"
            })
    void whatMayBeAValueIsRefusedAndNotRepeated(String option) {
        assertThatThrownBy(() -> SecretSource.parse(option))
                .isInstanceOf(UsageError.class)
                .hasMessageContaining("never the secret")
                .hasMessageNotContaining("hunter2");
    }

    @Test
    void whatIsNotThereIsNamed() {
        assertThatThrownBy(() -> read("id=key,env=NOT_THERE"))
                .isInstanceOf(UsageError.class)
                .hasMessageContaining("\"NOT_THERE\"")
                .hasMessageContaining("\"key\"");
        assertThatThrownBy(() -> read("id=key,src=" + directory.resolve("none")))
                .isInstanceOf(UsageError.class)
                .hasMessageContaining("none");
        assertThatThrownBy(() -> read("id=key,src=" + directory)).isInstanceOf(UsageError.class);
    }

    @Test
    void ofAFileNoMoreIsReadThanShowsThatItIsTooLarge() {
        assertThat(SecretSource.parse("id=zeros,src=/dev/zero").read(ENVIRONMENT))
                .hasSize(64 * 1024 + 1);
    }
}
