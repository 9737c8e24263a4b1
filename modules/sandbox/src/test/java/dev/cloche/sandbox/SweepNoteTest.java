package dev.cloche.sandbox;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cloche.sandbox.reconcile.SweepNote;
import java.time.Instant;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SweepNoteTest {
    @Test
    void isReadAsItWasWritten() {
        SweepNote note = new SweepNote(
                7, true, 9, Map.of(3L, Instant.ofEpochMilli(1_700_000_000_123L), 12L, Instant.ofEpochMilli(5)));
        assertThat(SweepNote.parse(note.text())).isEqualTo(note);
        assertThat(SweepNote.parse(SweepNote.FIRST.text())).isEqualTo(SweepNote.FIRST);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "2 1 0 1", "1 x 0 1", "1 1 0 1 3@", "1 1 0 1 @3", "1 1 0 1 3", "1 1", "1 9e9 0 1"})
    void whatIsNotUnderstoodIsAsGoodAsNone(String text) {
        assertThat(SweepNote.parse(text)).isEqualTo(SweepNote.FIRST);
    }
}
