package dev.cloche.qemu.host;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ProbeGuestTest {
    private static final Path SOURCE = Path.of("../../guest/tools/probe.S");

    @TempDir
    Path directory;

    @Test
    void itIsTheSourceAssembled() throws Exception {
        Path object = directory.resolve("probe.o");
        Path code = directory.resolve("probe.bin");
        Assumptions.assumeTrue(runs("gcc", "--version"), "there is no gcc");
        assertThat(runs("gcc", "-m32", "-c", "-o", object.toString(), SOURCE.toString()))
                .isTrue();
        assertThat(runs("objcopy", "-O", "binary", "-j", ".text", object.toString(), code.toString()))
                .isTrue();

        assertThat(HexFormat.of().formatHex(ProbeGuest.code()))
                .as("assemble it and put the bytes there")
                .isEqualTo(HexFormat.of().formatHex(Files.readAllBytes(code)));
    }

    @Test
    void itEndsWhereAProcessorBegins() {
        byte[] firmware = ProbeGuest.firmware();

        assertThat(firmware).hasSize(64 * 1024);
        // A near jump, 16 bytes below the end.
        assertThat(firmware[firmware.length - 16]).isEqualTo((byte) 0xE9);
    }

    private boolean runs(String... command) throws Exception {
        try {
            return new ProcessBuilder(command)
                            .redirectErrorStream(true)
                            .redirectOutput(directory.resolve("log").toFile())
                            .start()
                            .waitFor()
                    == 0;
        } catch (IOException missing) {
            return false;
        }
    }
}
