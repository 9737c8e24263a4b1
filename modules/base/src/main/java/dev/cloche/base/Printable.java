package dev.cloche.base;

/** Makes text of guests, images, registries and callers fit for a person's terminal and for one line of a log. */
public final class Printable {
    private static final int LONGEST_QUOTATION = 200;

    private Printable() {}

    /** Replaces control and format characters and all kinds of line ends with U+FFFD: what comes out is one line. */
    public static String of(String text) {
        return replaced(text, false);
    }

    /** Returns the same for texts of several lines, whose newlines and tabs stay. */
    public static String lines(String text) {
        return replaced(text, true);
    }

    /** Does the same as {@link #of(String)} for a quotation in a message: of the text 200 characters are kept. */
    public static String brief(String text) {
        return brief(text, LONGEST_QUOTATION);
    }

    /** Does the same as {@link #of(String)}, and replaces what is longer than {@code most} characters by an ellipsis. */
    public static String brief(String text, int most) {
        // By code points: no character is cut in two.
        int[] points = text.codePoints().limit(most + 1L).toArray();
        String shown = of(new String(points, 0, Math.min(points.length, most)));
        return points.length > most ? shown + "…" : shown;
    }

    private static String replaced(String text, boolean lines) {
        StringBuilder out = new StringBuilder(text.length());
        text.codePoints().forEach(c -> out.appendCodePoint(isHarmless(c, lines) ? c : 0xFFFD));
        return out.toString();
    }

    private static boolean isHarmless(int c, boolean lines) {
        return switch (Character.getType(c)) {
            case Character.CONTROL -> lines && (c == '\n' || c == '\t');
            case Character.FORMAT, Character.SURROGATE, Character.LINE_SEPARATOR, Character.PARAGRAPH_SEPARATOR ->
                false;
            default -> true;
        };
    }
}
