package dev.cloche.schema;

import com.networknt.schema.regex.RegularExpression;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Pattern;

/**
 * A pattern that gives up when it has looked at too many characters: the JDK's expressions can take a time that is
 * exponential in the length of a text, and there is no other way to stop them. Thread-safe.
 */
final class BudgetedRegex implements RegularExpression {
    private static final int LOOKS = 10_000_000;

    private final Pattern pattern;

    /** @throws java.util.regex.PatternSyntaxException if it is none */
    BudgetedRegex(String pattern) {
        this.pattern = Pattern.compile(pattern);
    }

    @Override
    public boolean matches(String value) {
        try {
            return pattern.matcher(new Metered(value, new AtomicInteger(), 0, value.length()))
                    .find();
        } catch (StackOverflowError e) {
            throw new Exceeded();
        }
    }

    /** The pattern took too long. */
    static final class Exceeded extends RuntimeException {
        Exceeded() {
            super("a pattern looked at more than " + LOOKS + " characters", null, false, false);
        }
    }

    private record Metered(String text, AtomicInteger looks, int from, int to) implements CharSequence {
        @Override
        public char charAt(int index) {
            if (looks.incrementAndGet() > LOOKS) {
                throw new Exceeded();
            }
            return text.charAt(from + index);
        }

        @Override
        public int length() {
            return to - from;
        }

        @Override
        public CharSequence subSequence(int start, int end) {
            return new Metered(text, looks, from + start, from + end);
        }

        @Override
        public String toString() {
            return text.substring(from, to);
        }
    }
}
