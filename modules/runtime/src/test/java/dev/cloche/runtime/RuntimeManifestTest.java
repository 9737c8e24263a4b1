package dev.cloche.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cloche.runtime.RuntimeManifest.RuntimePart;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDate;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RuntimeManifestTest {
    private static final String WHOLE = """
            {"format": 1, "version": "0.1.0", "built": "2026-11-23", "guestProtocol": 2, "guard": 5, "later": true,
             "parts": [{"path": "initramfs", "version": "0.1.0", "sha256": "00ff"}], "system": ["passt"]}
            """;

    @TempDir
    Path directory;

    private RuntimeManifest read(String text) throws IOException {
        Files.writeString(directory.resolve("runtime.json"), text);
        return RuntimeManifest.in(List.of(directory.resolve("none"), directory)).orElseThrow();
    }

    @Test
    void saysWhatTheRuntimeIs() throws IOException {
        RuntimeManifest manifest = read(WHOLE);
        assertThat(manifest)
                .isEqualTo(new RuntimeManifest(
                        directory,
                        "0.1.0",
                        LocalDate.of(2026, 11, 23),
                        2,
                        5,
                        List.of(new RuntimePart("initramfs", "0.1.0", "00ff"))));
        manifest.requireUsable();
    }

    @Test
    void anOlderRuntimeHasNone() {
        assertThat(RuntimeManifest.in(List.of(directory))).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 3})
    void anAgentThatSpeaksAnotherProtocolIsRefused(int protocol) throws IOException {
        RuntimeManifest other = read(WHOLE.replace("l\": 2", "l\": " + protocol));
        assertThatThrownBy(other::requireUsable)
                .isInstanceOf(RuntimeUnusable.Mismatch.class)
                .hasMessageContaining("version " + protocol + " of the guest protocol")
                .hasMessageEndingWith(protocol == 1 ? "an older library." : "an older runtime.");
    }

    @Test
    void aGuardThatTakesFewerOptionsIsRefused() throws IOException {
        for (String guard : List.of("", "\"guard\": 1,")) {
            RuntimeManifest other = read(WHOLE.replace("\"guard\": 5,", guard));
            assertThatThrownBy(other::requireUsable)
                    .isInstanceOf(RuntimeUnusable.Mismatch.class)
                    .hasMessageContaining("takes version 1 of the options, and this library needs 5");
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "[]",
                "{}",
                "{\"format\": 2}",
                "{\"format\": 1, \"version\": \"1\", \"built\": \"today\", \"guestProtocol\": 2}",
                "{\"format\": 1, \"version\": \"1\", \"built\": \"2026-11-23\", \"guestProtocol\": 9999999999}",
                "{\"format\": 1, \"version\": \"1\", \"built\": \"2026-11-23\", \"guestProtocol\": 2, \"parts\": [1]}"
            })
    void whatIsNoneIsRefused(String text) {
        assertThatThrownBy(() -> read(text))
                .isInstanceOf(RuntimeUnusable.Unreadable.class)
                .hasMessageContaining("runtime.json");
    }
}
