package dev.cloche.process;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * One system call as {@code strace -f -y -xx} prints it: every string and every path is hexadecimal, so the text of the
 * arguments holds no quote, comma or parenthesis of the program's.
 *
 * @param arguments what stands between the parentheses
 * @param outcome what stands after the equals sign
 * @param begun index of the line in which it was entered
 * @param ended index of the line in which it returned
 */
record TracedCall(String name, String arguments, String outcome, int begun, int ended) {
    private static final Pattern DESCRIPTOR = Pattern.compile("^(?:\\d+|AT_FDCWD)<((?:\\\\x[0-9a-f]{2})*)>");
    private static final Pattern STRING = Pattern.compile("\"((?:\\\\x[0-9a-f]{2})*)\"(\\.\\.\\.)?");

    /** Whether it did what it was asked. A call that strace skipped in favour of an invented result did nothing. */
    boolean effective() {
        return !outcome.startsWith("-1") && !outcome.startsWith("?") && !outcome.contains("INJECTED");
    }

    /** The path behind the descriptor that is the first argument, if that is one. */
    Optional<String> descriptorPath() {
        return path(arguments);
    }

    /** The path behind the descriptor that was returned, if one was. */
    Optional<String> returnedPath() {
        return path(outcome);
    }

    private static Optional<String> path(String text) {
        Matcher matcher = DESCRIPTOR.matcher(text);
        return matcher.find()
                ? Optional.of(new String(bytes(matcher.group(1)), StandardCharsets.UTF_8))
                : Optional.empty();
    }

    /** The string arguments, in order. */
    byte[] string(int index) {
        Matcher matcher = STRING.matcher(arguments);
        for (int i = 0; i <= index; i++) {
            if (!matcher.find()) {
                throw new IllegalStateException("no string argument " + index + " in " + name);
            }
        }
        if (matcher.group(2) != null) {
            throw new IllegalStateException("strace has cut the data of a " + name);
        }
        return bytes(matcher.group(1));
    }

    /** The number that stands last but {@code fromEnd}. */
    long number(int fromEnd) {
        List<String> parts = parts();
        return Long.parseLong(parts.get(parts.size() - 1 - fromEnd));
    }

    /** The arguments, one by one. */
    List<String> parts() {
        return List.of(arguments.split(", ", -1));
    }

    private static byte[] bytes(String hexadecimal) {
        ByteArrayOutputStream out = new ByteArrayOutputStream(hexadecimal.length() / 4);
        for (int i = 0; i < hexadecimal.length(); i += 4) {
            out.write(Character.digit(hexadecimal.charAt(i + 2), 16) << 4
                    | Character.digit(hexadecimal.charAt(i + 3), 16));
        }
        return out.toByteArray();
    }
}
