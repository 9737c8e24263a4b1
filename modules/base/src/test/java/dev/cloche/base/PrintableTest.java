package dev.cloche.base;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class PrintableTest {
    @Test
    void whatComesOutIsOneLineWithoutAnyControl() {
        assertThat(Printable.of("a\nb\tc\r\u001b[2J\u009b\u202e\u2028\u2029\ud800 é😀"))
                .isEqualTo("a\ufffdb\ufffdc\ufffd\ufffd[2J\ufffd\ufffd\ufffd\ufffd\ufffd é😀");
    }

    @Test
    void textsOfSeveralLinesKeepThem() {
        assertThat(Printable.lines("a\n\tb\r\u001b")).isEqualTo("a\n\tb\ufffd\ufffd");
    }

    @Test
    void whatIsLongIsCutBetweenCharacters() {
        assertThat(Printable.brief("ab\n", 3)).isEqualTo("ab\ufffd");
        assertThat(Printable.brief("😀😀😀", 2)).isEqualTo("😀😀…");
        assertThat(Printable.brief("", 2)).isEmpty();
    }
}
