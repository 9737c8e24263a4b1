package dev.cloche.pool;

import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/**
 * Identifies what a ready VM is made of. Two keys are the same if all four parts are; nothing is derived from their
 * texts but the label of a pool's entries, so that no name can meet another.
 *
 * @param name for example the reference of an image; 1 to 256 characters of any kind
 * @param version for example a digest of what is booted; as the name
 * @param cpus virtual processors, at least one
 * @param memoryMiB the guest's memory in MiB, at least one
 */
public record StackKey(String name, String version, int cpus, int memoryMiB) implements Comparable<StackKey> {
    private static final int MAX_TEXT = 256;
    private static final int MAX_LABEL = 2048;

    /** @throws PoolException.Invalid if a part is outside of its range */
    public StackKey {
        check("name", name);
        check("version", version);
        if (cpus < 1 || memoryMiB < 1) {
            throw new PoolException.Invalid(
                    "A key of " + cpus + " processors and " + memoryMiB + " MiB is none", "Use positive numbers.");
        }
        if (encoded(name, version).length() > MAX_LABEL - 32) {
            throw new PoolException.Invalid("The key's name and version are too long", "Use shorter ones.");
        }
    }

    /**
     * Returns what an entry of this key is labelled with, for other processes: printable, and understood by {@link
     * #ofLabel}.
     */
    public String label() {
        return encoded(name, version) + " " + cpus + " " + memoryMiB;
    }

    /** Reads a label; empty for what is no label of a key: an entry that is not ours. */
    public static Optional<StackKey> ofLabel(String label) {
        String[] parts = label.split(" ", -1);
        try {
            return parts.length == 4
                    ? Optional.of(new StackKey(
                            URLDecoder.decode(parts[0], StandardCharsets.UTF_8),
                            URLDecoder.decode(parts[1], StandardCharsets.UTF_8),
                            Integer.parseInt(parts[2]),
                            Integer.parseInt(parts[3])))
                    : Optional.empty();
        } catch (IllegalArgumentException | PoolException.Invalid notOurs) {
            return Optional.empty();
        }
    }

    private static String encoded(String name, String version) {
        return URLEncoder.encode(name, StandardCharsets.UTF_8) + " "
                + URLEncoder.encode(version, StandardCharsets.UTF_8);
    }

    private static void check(String what, String text) {
        if (text.isEmpty() || text.length() > MAX_TEXT) {
            throw new PoolException.Invalid(
                    "The " + what + " of a key has " + text.length() + " characters", "Use 1 to 256.");
        }
        // Such text does not come back from its encoding, so two keys could share a label.
        if (!StandardCharsets.UTF_8.newEncoder().canEncode(text)) {
            throw new PoolException.Invalid("The " + what + " of a key is no text", "Use whole characters.");
        }
    }

    @Override
    public int compareTo(StackKey other) {
        return label().compareTo(other.label());
    }
}
