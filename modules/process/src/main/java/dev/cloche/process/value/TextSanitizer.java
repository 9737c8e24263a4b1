package dev.cloche.process.value;

/** Makes texts of others fit to be kept. Stateless. */
public final class TextSanitizer {
    private TextSanitizer() {}

    /**
     * Returns one line of at most so many characters: what is no character becomes a question mark, what breaks lines a space.
     */
    public static String line(String text, int longest) {
        StringBuilder line = new StringBuilder();
        text.codePoints().limit(longest).forEach(each -> {
            boolean half = each >= Character.MIN_SURROGATE && each <= Character.MAX_SURROGATE;
            line.appendCodePoint(half ? '?' : Character.isISOControl(each) ? ' ' : each);
        });
        return line.toString();
    }
}
