package dev.cloche.cli.terminal;

import java.io.ByteArrayOutputStream;

/** Finds the {@linkplain DetachKeys keys} in what is typed; holds them back until it is clear that they are not meant. */
final class DetachFilter {
    private final DetachKeys keys;
    private int matched;
    private boolean detached;

    DetachFilter(DetachKeys keys) {
        this.keys = keys;
    }

    /** Returns what of these bytes, and of those held back before, is for the command; nothing after the keys. */
    byte[] pass(byte[] bytes, int length) {
        ByteArrayOutputStream out = new ByteArrayOutputStream(length + matched);
        for (int i = 0; i < length && !detached; i++) {
            take(bytes[i], out);
        }
        return out.toByteArray();
    }

    boolean detached() {
        return detached;
    }

    private void take(byte typed, ByteArrayOutputStream out) {
        // As much of what is held back as cannot be the beginning of the keys any more goes through.
        while (matched > 0 && typed != keys.keys().get(matched)) {
            int shorter = matched - 1;
            while (shorter > 0 && !beginsAgain(matched - shorter, shorter)) {
                shorter--;
            }
            for (int i = 0; i < matched - shorter; i++) {
                out.write(keys.keys().get(i));
            }
            matched = shorter;
        }
        if (typed == keys.keys().get(matched)) {
            matched++;
            detached = matched == keys.keys().size();
        } else {
            out.write(typed);
        }
    }

    /** Returns whether the {@code length} keys from {@code start} on are the same as the first ones. */
    private boolean beginsAgain(int start, int length) {
        return keys.keys().subList(start, start + length).equals(keys.keys().subList(0, length));
    }
}
