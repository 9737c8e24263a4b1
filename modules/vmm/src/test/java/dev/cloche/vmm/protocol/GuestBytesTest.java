package dev.cloche.vmm.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Replays what a fuzzer has found worth keeping: the least of its inputs that together reach all it has reached. */
class GuestBytesTest {
    static Stream<Path> corpus() throws IOException {
        try (Stream<Path> files = Files.list(Path.of("src/test/fuzz/guest"))) {
            return List.copyOf(files.sorted().toList()).stream();
        }
    }

    @ParameterizedTest
    @MethodSource("corpus")
    void everyInputIsReadOrRefused(Path input) throws IOException {
        GuestBytes.fuzzerTestOneInput(Files.readAllBytes(input));
    }

    @Test
    void theCorpusReachesFramesThatAreUnderstood() throws IOException {
        assertThat(corpus().map(GuestBytesTest::framed).filter(GuestBytes::consume))
                .hasSizeGreaterThan(10);
    }

    private static byte[] framed(Path input) {
        try {
            return GuestBytes.framed(Files.readAllBytes(input));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
