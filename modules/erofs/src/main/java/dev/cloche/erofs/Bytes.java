package dev.cloche.erofs;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * An immutable string of bytes: file names, link targets, and names and values of extended attributes are bytes to the
 * kernel, and text only by habit. Ordered as unsigned bytes, which is the order of EROFS directories.
 */
public final class Bytes implements Comparable<Bytes> {
    /** No bytes. */
    public static final Bytes EMPTY = new Bytes(new byte[0]);

    private final byte[] content;

    private Bytes(byte[] content) {
        this.content = content;
    }

    /** Returns a copy of {@code content}. */
    public static Bytes of(byte[] content) {
        return new Bytes(content.clone());
    }

    /** Returns a copy of {@code length} bytes from {@code offset} on. */
    public static Bytes of(byte[] content, int offset, int length) {
        return new Bytes(Arrays.copyOfRange(content, offset, offset + length));
    }

    /** Returns the UTF-8 bytes of {@code text}. */
    public static Bytes utf8(String text) {
        return new Bytes(text.getBytes(StandardCharsets.UTF_8));
    }

    public int length() {
        return content.length;
    }

    public boolean isEmpty() {
        return content.length == 0;
    }

    /** Returns the byte at {@code index}, signed as Java has it. */
    public byte at(int index) {
        return content[index];
    }

    public byte[] toArray() {
        return content.clone();
    }

    /** Copies all bytes to {@code target} from {@code offset} on. */
    public void copyTo(byte[] target, int offset) {
        System.arraycopy(content, 0, target, offset, content.length);
    }

    /** Returns the bytes from {@code begin} up to, but without, {@code end}. */
    public Bytes slice(int begin, int end) {
        return begin == 0 && end == content.length ? this : of(content, begin, end - begin);
    }

    public boolean startsWith(Bytes prefix) {
        return content.length >= prefix.content.length
                && Arrays.mismatch(content, 0, prefix.content.length, prefix.content, 0, prefix.content.length) < 0;
    }

    public boolean contains(char ascii) {
        return indexOf(ascii, 0) >= 0;
    }

    /** Returns the index of the first such byte from {@code from} on, or -1. */
    public int indexOf(char ascii, int from) {
        for (int i = from; i < content.length; i++) {
            if (content[i] == ascii) {
                return i;
            }
        }
        return -1;
    }

    @Override
    public int compareTo(Bytes other) {
        return Arrays.compareUnsigned(content, other.content);
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof Bytes bytes && Arrays.equals(content, bytes.content);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(content);
    }

    /**
     * Returns a text for messages: decoded as UTF-8, with everything that could disturb a terminal or a log line replaced, and
     * cut.
     */
    @Override
    public String toString() {
        int shown = Math.min(content.length, 256);
        String text = new String(content, 0, shown, StandardCharsets.UTF_8);
        return text.replaceAll("[\\p{Cc}\\p{Cf}\\p{Zl}\\p{Zp}]", "\uFFFD") + (shown < content.length ? "…" : "");
    }
}
