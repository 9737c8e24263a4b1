package dev.cloche.cli.terminal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cloche.PullProgress.Phase;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class ProgressDisplayTest {
    private static final String CLEAR_LINE = "\u001b[2K";

    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    private final PrintStream err = new PrintStream(bytes, true, StandardCharsets.UTF_8);

    @Test
    void aLogGetsOneLineForEachFinishedLayer() {
        try (ProgressDisplay lines = new ProgressDisplay.Lines(err)) {
            lines.warning("its user is none");
            lines.layer("aaa", Phase.PULLING, 1, 4096);
            lines.layer("aaa", Phase.PULLING, 4096, 4096);
            lines.layer("bbb", Phase.PRESENT, 0, 0);
            lines.layer("aaa", Phase.DONE, 4096, 4096);
        }
        assertThat(text().lines())
                .containsExactly(
                        "warning: its user is none", "layer bbb: already here", "layer aaa: pulled, " + size(4096));
    }

    @Test
    void aTerminalGetsABarForEachLayerDrawnAgainInItsPlace() {
        try (ProgressDisplay bars = new ProgressDisplay.Bars(err)) {
            bars.layer("aaa", Phase.PULLING, 2048, 4096);
            assertThat(text())
                    .isEqualTo(CLEAR_LINE + "aaa  [" + "=".repeat(15) + " ".repeat(15) + "]  " + size(2048) + " of "
                            + size(4096) + "\n");
            bars.layer("bbb", Phase.PRESENT, 0, 0);
            assertThat(lastFrame(1)).endsWith(CLEAR_LINE + "bbb  already here\n");
            bars.layer("aaa", Phase.DONE, 4096, 4096);
            assertThat(lastFrame(2))
                    .isEqualTo(CLEAR_LINE + "aaa  [" + "=".repeat(30) + "]  " + size(4096) + "\n" + CLEAR_LINE
                            + "bbb  already here\n");
        }
        // What comes late, from a layer's thread, must not draw into what follows.
        ProgressDisplay closed = new ProgressDisplay.Bars(err);
        closed.close();
        int before = bytes.size();
        closed.layer("aaa", Phase.DONE, 1, 1);
        assertThat(bytes.size()).isEqualTo(before);
    }

    @Test
    void aLayerWhoseLengthNobodyToldIsCounted() {
        try (ProgressDisplay bars = new ProgressDisplay.Bars(err)) {
            bars.layer("aaa", Phase.PULLING, 2048, 0);
        }
        assertThat(text()).startsWith(CLEAR_LINE + "aaa  " + size(2048) + "\n");
    }

    /** What follows the last jump upwards, which has to be over so many lines. */
    private String lastFrame(int lines) {
        String text = text();
        String jump = "\u001b[" + lines + "A";
        assertThat(text).contains(jump);
        return text.substring(text.lastIndexOf(jump) + jump.length());
    }

    private String text() {
        return bytes.toString(StandardCharsets.UTF_8);
    }

    private static String size(long bytes) {
        return ByteSize.of(bytes);
    }
}
