package dev.cloche.junit;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.io.SequenceInputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class AwaitedTextTest {
    @Test
    void isSeenInOnePieceAndInOneByteEach() {
        assertThat(seen("ready", stream("it is ready now"))).isTrue();
        assertThat(seen("ready", drip("it is rearready now"))).isTrue();
        assertThat(seen("fertig über", drip("ist fertig über"))).isTrue();
    }

    @Test
    void isNotSeenInPartsOrAcrossTwoOutputs() {
        assertThat(seen("ready", drip("rea"), drip("dy"))).isFalse();
        assertThat(seen("ready", drip("read y"))).isFalse();
        assertThat(seen("ready", drip("rea"), drip("dy ready"))).isTrue();
    }

    private static boolean seen(String text, InputStream... outputs) {
        AwaitedText awaited = new AwaitedText(text);
        OutputTail tail = new OutputTail(List.of(awaited));
        Arrays.stream(outputs).forEach(tail::read);
        return awaited.await(Duration.ZERO);
    }

    private static InputStream stream(String text) {
        return new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8));
    }

    /** Has each byte read by itself. */
    private static InputStream drip(String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        return new SequenceInputStream(Collections.enumeration(IntStream.range(0, bytes.length)
                .<InputStream>mapToObj(i -> new ByteArrayInputStream(bytes, i, 1))
                .toList()));
    }
}
