package dev.cloche.cli.terminal;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cloche.cli.option.PointInTime;
import dev.cloche.vm.OutputLogEntry;
import java.nio.ByteBuffer;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import picocli.CommandLine.TypeConversionException;

class LogLinesTest {
    private final List<String> told = new ArrayList<>();
    private final LogLines lines = new LogLines(line ->
            told.add((line.error() ? "E" : "O") + line.time().getEpochSecond() + " " + UTF_8.decode(line.bytes())));

    private void add(boolean error, long second, String text) {
        lines.add(new OutputLogEntry(error, Instant.ofEpochSecond(second), 0, ByteBuffer.wrap(text.getBytes(UTF_8))));
    }

    @Test
    void piecesBecomeLinesOfTheirOwnOutput() {
        add(false, 1, "one\ntw");
        add(true, 2, "error\n");
        add(false, 3, "o\nthree");
        lines.flush();
        lines.flush();
        assertThat(told).containsExactly("O1 one\n", "E2 error\n", "O1 two\n", "O3 three");
    }

    @Test
    void aLineWithoutAnEndIsToldInPieces() {
        add(false, 1, "x".repeat(200_000));
        assertThat(told).hasSize(3).allMatch(line -> line.length() == 65_536 + 3);
        lines.flush();
        assertThat(told).hasSize(4);
    }

    @Test
    void aPointInTimeIsASpanAgoOrADateOrATime() {
        Clock clock = Clock.fixed(Instant.parse("2026-02-01T12:00:00Z"), ZoneId.of("+02:00"));
        PointInTime form = new PointInTime(clock);
        assertThat(form.convert("10m")).isEqualTo("2026-02-01T11:50:00Z");
        assertThat(form.convert("2026-01-31")).isEqualTo("2026-01-30T22:00:00Z");
        assertThat(form.convert("2026-01-31T08:00:00")).isEqualTo("2026-01-31T06:00:00Z");
        assertThat(form.convert("2026-01-31T08:00:00.5Z")).isEqualTo("2026-01-31T08:00:00.5Z");
        assertThatThrownBy(() -> form.convert("yesterday")).isInstanceOf(TypeConversionException.class);
    }
}
