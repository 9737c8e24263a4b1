package dev.cloche.interpreter.driver;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Finds the marks of a cell in an output of its shell: a byte that is rare, 32 characters that cannot be guessed, and three that say
 * something. Holds back at most so much. One thread scans; another one may say what is looked for.
 */
final class MarkScan {
    private static final byte FIRST = 0x1E;
    private static final int NAME = 32;
    private static final int LENGTH = 1 + NAME + 3;

    private final byte[] held = new byte[LENGTH];
    private int count;
    private volatile List<byte[]> sought = List.of();

    /** What an output has. */
    sealed interface Part {
        /** What was written. */
        @SuppressWarnings("ArrayRecordComponent") // Passed on, and never compared.
        record Text(byte[] bytes) implements Part {}

        /**
         * Says something behind or before a cell.
         *
         * @param word without the spaces before
         */
        record Mark(String name, String word) implements Part {}
    }

    /** Looks for marks of these names from now on; they are of 32 characters of ASCII. */
    void seek(String... names) {
        sought = Arrays.stream(names).map(name -> name.getBytes(US_ASCII)).toList();
    }

    /** Returns what so many bytes are, with those that were held back before. */
    List<Part> scan(byte[] bytes, int length) {
        List<byte[]> names = sought;
        List<Part> parts = new ArrayList<>();
        ByteArrayOutputStream text = new ByteArrayOutputStream(length + LENGTH);
        for (int i = 0; i < length; i++) {
            if (count > 0 && !goesOn(bytes[i], names)) {
                text.write(held, 0, count);
                count = 0;
            }
            if (count == 0 && (bytes[i] != FIRST || names.isEmpty())) {
                text.write(bytes[i]);
                continue;
            }
            held[count++] = bytes[i];
            if (count == LENGTH) {
                addText(parts, text);
                parts.add(new Part.Mark(
                        new String(held, 1, NAME, US_ASCII),
                        new String(held, 1 + NAME, LENGTH - 1 - NAME, US_ASCII).strip()));
                count = 0;
            }
        }
        addText(parts, text);
        return parts;
    }

    /** Returns what is held back, at the end of the output. */
    List<Part> rest() {
        return count == 0 ? List.of() : List.of(new Part.Text(Arrays.copyOf(held, count)));
    }

    private boolean goesOn(byte next, List<byte[]> names) {
        int named = Math.min(count - 1, NAME);
        return names.stream()
                .anyMatch(name ->
                        Arrays.equals(held, 1, 1 + named, name, 0, named) && (named == NAME || name[named] == next));
    }

    private static void addText(List<Part> parts, ByteArrayOutputStream text) {
        if (text.size() > 0) {
            parts.add(new Part.Text(text.toByteArray()));
            text.reset();
        }
    }
}
