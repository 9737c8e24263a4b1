package dev.cloche.erofs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Replays what the fuzzer found worth keeping; {@code ./fuzz} makes more of it. */
class ErofsCorpusTest {
    private static final Path CORPUS = Path.of("src/test/fuzz/erofs");

    @Test
    void everyInputEndsWithATreeOrWithCorrupt() throws IOException {
        List<Path> inputs;
        try (Stream<Path> files = Files.list(CORPUS)) {
            inputs = files.toList();
        }
        int images = 0;
        for (Path input : inputs) {
            images += ImageBytes.consume(Files.readAllBytes(input)) ? 1 : 0;
        }
        assertThat(images).as("some of the corpus are images, some are not").isBetween(1, inputs.size() - 1);
    }
}
