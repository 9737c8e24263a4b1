package dev.cloche.machine;

import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** One finished system call as strace writes it. */
record StraceLine(String call, String arguments, long result) {
    private static final Pattern FORM = Pattern.compile("(?:\\d+ +)?(\\w+)\\((.*)\\) += (-?\\d+)(?: .*)?");

    static Optional<StraceLine> parse(String line) {
        Matcher matcher = FORM.matcher(line);
        return matcher.matches()
                ? Optional.of(new StraceLine(matcher.group(1), matcher.group(2), Long.parseLong(matcher.group(3))))
                : Optional.empty();
    }

    /** The argument of that number that is a string. */
    String text(int index) {
        Matcher strings = Pattern.compile("\"([^\"]*)\"").matcher(arguments);
        for (int i = 0; i <= index; i++) {
            if (!strings.find()) {
                throw new AssertionError(call + " has no string " + index + ": " + arguments);
            }
        }
        return strings.group(1);
    }

    /** The descriptor that is the first argument. */
    int descriptor() {
        return Integer.parseInt(arguments.replaceFirst("(\\d+).*", "$1"));
    }
}
