package dev.cloche.interpreter.driver;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Marks in an output, wherever it is cut. */
class MarkScanTest {
    private static final String NAME = "0123456789abcdef0123456789abcdef";
    private static final String OTHER = "0123456789abcdef0123456789abcdee";
    private static final String MARK = "\u001e" + NAME + "  7";

    /** Returns the text, with each mark as its word in brackets. */
    private static String shown(Stream<MarkScan.Part> parts) {
        return parts.map(part -> switch (part) {
                    case MarkScan.Part.Text(byte[] bytes) -> new String(bytes, UTF_8);
                    case MarkScan.Part.Mark(String name, String word) -> "[" + name + " " + word + "]";
                })
                .collect(Collectors.joining());
    }

    private static String scanned(String output, int piece, String... names) {
        MarkScan scan = new MarkScan();
        scan.seek(names);
        byte[] bytes = output.getBytes(UTF_8);
        Stream.Builder<MarkScan.Part> parts = Stream.builder();
        for (int at = 0; at < bytes.length; at += piece) {
            byte[] next = Arrays.copyOfRange(bytes, at, Math.min(bytes.length, at + piece));
            scan.scan(next, next.length).forEach(parts);
        }
        scan.rest().forEach(parts);
        return shown(parts.build());
    }

    @Test
    void aMarkIsFoundWhereverTheOutputIsCut() {
        String found = "[" + NAME + " 7]";
        for (int piece = 1; piece < 100; piece++) {
            assertThat(scanned("before\n" + MARK + "after", piece, OTHER, NAME))
                    .isEqualTo("before\n" + found + "after");
            assertThat(scanned(MARK, piece, NAME)).isEqualTo(found);
            assertThat(scanned("\u001e\u001e" + MARK + MARK, piece, NAME)).isEqualTo("\u001e\u001e" + found + found);
            assertThat(scanned(MARK.substring(0, 20) + MARK, piece, NAME)).isEqualTo(MARK.substring(0, 20) + found);
        }
    }

    @Test
    void whatIsNotSoughtIsText() {
        for (int piece = 1; piece < 100; piece++) {
            assertThat(scanned(MARK, piece)).isEqualTo(MARK);
            assertThat(scanned(MARK, piece, OTHER)).isEqualTo(MARK);
            assertThat(scanned(MARK.substring(0, 34), piece, NAME)).isEqualTo(MARK.substring(0, 34));
        }
    }

    @Test
    void onlyWhatMayBecomeAMarkIsHeldBack() {
        MarkScan scan = new MarkScan();
        scan.seek(NAME);
        byte[] line = "line\n\u001e".getBytes(UTF_8);
        assertThat(shown(scan.scan(line, line.length).stream())).isEqualTo("line\n");
        assertThat(shown(scan.scan(new byte[] {'0'}, 1).stream())).isEmpty();
        assertThat(shown(scan.scan(new byte[] {'0'}, 1).stream())).isEqualTo("\u001e00");
        scan.seek();
        assertThat(scan.scan(line, line.length)).hasSize(1);
        assertThat(scan.rest()).isEqualTo(List.of());
    }
}
