package dev.cloche.image;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Replays what the fuzzer found worth keeping; {@code ./fuzz} makes more of it. */
class ImageCorpusTest {
    @Test
    void everyArchiveEndsWithAnImageOrWithCorrupt() throws IOException {
        replay("archive", ArchiveBytes::consume);
    }

    @Test
    void everyDocumentIsReadOrMalformed() throws IOException {
        replay("documents", DocumentBytes::consume);
    }

    private static void replay(String name, Predicate<byte[]> consume) throws IOException {
        List<Path> inputs;
        try (Stream<Path> files = Files.list(Path.of("src/test/fuzz", name))) {
            inputs = files.toList();
        }
        int sound = 0;
        for (Path input : inputs) {
            sound += consume.test(Files.readAllBytes(input)) ? 1 : 0;
        }
        assertThat(sound).as("some of the corpus are sound, some are not").isBetween(1, inputs.size() - 1);
    }
}
