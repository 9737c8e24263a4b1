package dev.cloche.process;

/** Texts of others, made fit to be kept. Stateless. */
final class Texts {
    private Texts() {}

    /** One line of at most so many characters: what is no character becomes a question mark, what breaks lines a space. */
    static String line(String text, int longest) {
        StringBuilder line = new StringBuilder();
        text.codePoints().limit(longest).forEach(each -> {
            boolean half = each >= Character.MIN_SURROGATE && each <= Character.MAX_SURROGATE;
            line.appendCodePoint(half ? '?' : Character.isISOControl(each) ? ' ' : each);
        });
        return line.toString();
    }
}
