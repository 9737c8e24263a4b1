package dev.cloche.base;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;

/**
 * Names of files as strings. On Linux a name is bytes, mostly but not always UTF-8. A byte that does not fit becomes the
 * lone surrogate U+DC00 + byte, and back, so that nothing is lost (as PEP 383 does it). Stateless.
 *
 * <p>Independent of the locale, unlike {@link java.nio.file.Path}.
 */
public final class RawText {
    private static final int ESCAPE = 0xDC00;
    private static final int FIRST_ESCAPED = 0xDC80;
    private static final int LAST_ESCAPED = 0xDCFF;

    private RawText() {}

    /** Returns the string of a name. */
    public static String decode(byte[] bytes) {
        String whole = new String(bytes, StandardCharsets.UTF_8);
        if (whole.indexOf('\uFFFD') < 0) {
            return whole;
        }
        StringBuilder out = new StringBuilder(bytes.length);
        int at = 0;
        while (at < bytes.length) {
            int length = sequenceLength(bytes, at);
            if (length == 0) {
                out.append((char) (ESCAPE + (bytes[at] & 0xFF)));
                at++;
            } else {
                out.append(new String(bytes, at, length, StandardCharsets.UTF_8));
                at += length;
            }
        }
        return out.toString();
    }

    /**
     * Returns the bytes of a name.
     *
     * @throws IllegalArgumentException if the string holds half a surrogate pair that is not such an escape
     */
    public static byte[] encode(String text) {
        ByteArrayOutputStream out = new ByteArrayOutputStream(text.length() + 16);
        int at = 0;
        while (at < text.length()) {
            int point = text.codePointAt(at);
            if (point >= FIRST_ESCAPED && point <= LAST_ESCAPED) {
                out.write(point - ESCAPE);
            } else if (point >= Character.MIN_SURROGATE && point <= Character.MAX_SURROGATE) {
                throw new IllegalArgumentException("half a surrogate pair in a name");
            } else {
                out.writeBytes(Character.toString(point).getBytes(StandardCharsets.UTF_8));
            }
            at += Character.charCount(point);
        }
        return out.toByteArray();
    }

    /** Returns how many bytes the UTF-8 sequence that begins there has; 0 if none begins there. */
    private static int sequenceLength(byte[] bytes, int at) {
        int first = bytes[at] & 0xFF;
        int length = first < 0x80 ? 1 : first < 0xC2 ? 0 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : first < 0xF5 ? 4 : 0;
        if (length == 0 || at + length > bytes.length) {
            return 0;
        }
        try {
            var _ = StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes, at, length));
            return length;
        } catch (CharacterCodingException malformed) {
            return 0;
        }
    }
}
