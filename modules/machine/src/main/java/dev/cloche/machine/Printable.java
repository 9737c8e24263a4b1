package dev.cloche.machine;

/** Text of files and people in messages: control characters could change what a terminal shows. */
final class Printable {
    private static final int LONGEST = 200;

    private Printable() {}

    static String of(String text) {
        StringBuilder shown = new StringBuilder();
        text.codePoints().limit(LONGEST).map(Printable::shown).forEach(shown::appendCodePoint);
        return text.length() > LONGEST ? shown.append('…').toString() : shown.toString();
    }

    private static int shown(int point) {
        return switch (Character.getType(point)) {
            case Character.CONTROL, Character.FORMAT, Character.SURROGATE, Character.LINE_SEPARATOR -> '?';
            default -> point;
        };
    }
}
