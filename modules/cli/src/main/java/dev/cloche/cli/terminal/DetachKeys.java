package dev.cloche.cli.terminal;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * The keys that leave a command running and this process without it, written as in Docker: {@code ctrl-p,ctrl-q}. Each is
 * one character, or {@code ctrl-} and one of {@code a} to {@code z} or {@code @ [ \ ] ^ _}.
 */
public record DetachKeys(List<Byte> keys) {
    private static final String CONTROL = "ctrl-";
    private static final int CONTROL_BITS = 0x1F;

    public DetachKeys {
        keys = List.copyOf(keys);
    }

    /**
     * Reads what the option says.
     *
     * @throws IllegalArgumentException if {@code text} is not of the form
     */
    public static DetachKeys parse(String text) {
        List<Byte> keys = new ArrayList<>();
        for (String key : text.split(",", -1)) {
            keys.add(key(key));
        }
        return new DetachKeys(keys);
    }

    private static byte key(String key) {
        if (key.length() == 1 && key.charAt(0) < 0x80) {
            return (byte) key.charAt(0);
        }
        String lower = key.toLowerCase(Locale.ROOT);
        if (lower.startsWith(CONTROL) && lower.length() == CONTROL.length() + 1) {
            char letter = lower.charAt(CONTROL.length());
            if ((letter >= 'a' && letter <= 'z') || "@[\\]^_".indexOf(letter) >= 0) {
                return (byte) (letter & CONTROL_BITS);
            }
        }
        throw new IllegalArgumentException(
                "\"" + key + "\" is no key: write one character, or for example ctrl-p; join several by commas");
    }
}
