package dev.cloche.vmm.admission;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ClaimFileTest {
    private static final VmClaim CLAIM =
            new VmClaim(1024, 68, true, 2, 8192, Set.of("team=blue", "x=", "quote=\"\\\n\u0001ä"), true);

    @TempDir
    Path directory;

    @Test
    void isReadAsItWasWritten() throws IOException {
        ClaimFile.write(directory, VmClaim.UNKNOWN);
        ClaimFile.write(directory, CLAIM);

        assertThat(ClaimFile.read(directory)).isEqualTo(CLAIM);
        assertThat(Files.getPosixFilePermissions(directory.resolve("claim.json")))
                .hasSize(2);
        assertThat(directory).isDirectoryContaining(file -> file.endsWith("claim.json"));
    }

    @Test
    void hasRoomForTheLongestLabels() throws IOException {
        Set<String> labels = IntStream.range(0, 64)
                .mapToObj(number -> number + "k".repeat(126) + "=" + "\u0001".repeat(1024))
                .collect(Collectors.toSet());
        VmClaim claim = new VmClaim(1, 0, false, 1, 0, labels, false);
        ClaimFile.write(directory, claim);

        assertThat(ClaimFile.read(directory)).isEqualTo(claim);
    }

    @Test
    void everyShorterFileIsRefused() throws IOException {
        ClaimFile.write(directory, CLAIM);
        Path file = directory.resolve("claim.json");
        byte[] whole = Files.readAllBytes(file);
        // Without the newline it is whole.
        for (int length = 0; length < whole.length - 1; length++) {
            Files.write(file, Arrays.copyOf(whole, length));
            assertThatThrownBy(() -> ClaimFile.read(directory))
                    .as("%s bytes", length)
                    .isInstanceOf(IOException.class);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "[]",
                "{\"version\":2}",
                "{\"version\":1}",
                "{\"version\":1,\"memoryMiB\":-1,\"overheadMiB\":0,\"mapped\":false,\"cpus\":1,\"diskMiB\":0,\"pooled\":false}",
                "{\"version\":1,\"memoryMiB\":9223372036854775807,\"overheadMiB\":0,\"mapped\":false,\"cpus\":1,\"diskMiB\":0,\"pooled\":false}",
                "{\"version\":1,\"memoryMiB\":1,\"overheadMiB\":0,\"mapped\":false,\"cpus\":9999999999,\"diskMiB\":0,\"pooled\":false}",
                "{\"version\":1,\"memoryMiB\":1,\"overheadMiB\":0,\"mapped\":1,\"cpus\":1,\"diskMiB\":0,\"pooled\":false}",
            })
    void whatIsNoClaimIsRefused(String text) throws IOException {
        Files.write(directory.resolve("claim.json"), text.getBytes(StandardCharsets.UTF_8));

        assertThatThrownBy(() -> ClaimFile.read(directory)).isInstanceOf(IOException.class);
    }
}
