package dev.cloche.cli.terminal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cloche.image.Digest;
import dev.cloche.image.PullEvent;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class ProgressDisplayTest {
    private static final String CLEAR_LINE = "\u001b[2K";

    private static final Digest FIRST = new Digest("a".repeat(64));
    private static final Digest SECOND = new Digest("b".repeat(64));

    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    private final PrintStream err = new PrintStream(bytes, true, StandardCharsets.UTF_8);

    @Test
    void aLogGetsOneLineForEachFinishedLayer() {
        try (ProgressDisplay lines = new ProgressDisplay.Lines(err)) {
            lines.on(new PullEvent.Warning("its user is none"));
            lines.on(new PullEvent.Progress(FIRST, 1, 4096));
            lines.on(new PullEvent.Progress(FIRST, 4096, 4096));
            lines.on(new PullEvent.LayerReady(SECOND, true));
            lines.on(new PullEvent.LayerReady(FIRST, false));
        }
        assertThat(text().lines())
                .containsExactly(
                        "warning: its user is none",
                        "layer bbbbbbbbbbbb: already here",
                        "layer aaaaaaaaaaaa: pulled, " + size(4096));
    }

    @Test
    void aTerminalGetsABarForEachLayerDrawnAgainInItsPlace() {
        try (ProgressDisplay bars = new ProgressDisplay.Bars(err)) {
            bars.on(new PullEvent.Progress(FIRST, 2048, 4096));
            assertThat(text())
                    .isEqualTo(CLEAR_LINE + "aaaaaaaaaaaa  [" + "=".repeat(15) + " ".repeat(15) + "]  " + size(2048)
                            + " of " + size(4096) + "\n");
            bars.on(new PullEvent.LayerReady(SECOND, true));
            assertThat(lastFrame(1)).endsWith(CLEAR_LINE + "bbbbbbbbbbbb  already here\n");
            bars.on(new PullEvent.Progress(FIRST, 4096, 4096));
            bars.on(new PullEvent.LayerReady(FIRST, false));
            assertThat(lastFrame(2))
                    .isEqualTo(CLEAR_LINE + "aaaaaaaaaaaa  [" + "=".repeat(30) + "]  " + size(4096) + "\n" + CLEAR_LINE
                            + "bbbbbbbbbbbb  already here\n");
        }
        // What comes late, from a layer's thread, must not draw into what follows.
        ProgressDisplay closed = new ProgressDisplay.Bars(err);
        closed.close();
        int before = bytes.size();
        closed.on(new PullEvent.LayerReady(FIRST, false));
        assertThat(bytes.size()).isEqualTo(before);
    }

    @Test
    void aLayerOfUnknownLengthIsCounted() {
        try (ProgressDisplay bars = new ProgressDisplay.Bars(err)) {
            bars.on(new PullEvent.Progress(FIRST, 2048, 0));
        }
        assertThat(text()).startsWith(CLEAR_LINE + "aaaaaaaaaaaa  " + size(2048) + "\n");
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
