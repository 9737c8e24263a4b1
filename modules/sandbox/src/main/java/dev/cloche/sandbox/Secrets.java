package dev.cloche.sandbox;

import dev.cloche.vm.GuestIdentity;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.BiConsumer;

/**
 * Holds what a guest gets in {@code /run/secrets}: files that only its root may read, in its memory. Immutable. No text
 * of this class has a value, nor has any exception.
 */
public final class Secrets {
    private static final Secrets NONE = new Secrets(Map.of());

    private final Map<String, byte[]> values;

    private Secrets(Map<String, byte[]> values) {
        this.values = new TreeMap<>(values);
    }

    public static Secrets none() {
        return NONE;
    }

    /**
     * Returns the same with one more, or with another value.
     *
     * @throws dev.cloche.vm.VmException.Invalid unless the name is 1 to 64 letters, digits, dots, hyphens and
     *     underscores that do not begin with a dot, the value has at most 64 KiB, and all of them are at most 256 and
     *     below 1 MiB
     */
    public Secrets with(String name, byte[] value) {
        Map<String, byte[]> more = new TreeMap<>(values);
        more.put(name, value.clone());
        // Refused here, before anything is done for a sandbox that could not have them.
        var _ = GuestIdentity.UNCHANGED.withSecrets(more);
        return new Secrets(more);
    }

    /** Returns the same with one more, as UTF-8. */
    public Secrets with(String name, String value) {
        return with(name, value.getBytes(StandardCharsets.UTF_8));
    }

    public boolean isEmpty() {
        return values.isEmpty();
    }

    public GuestIdentity addedTo(GuestIdentity identity) {
        return isEmpty() ? identity : identity.withSecrets(values);
    }

    /** Visits them in the order of their names. */
    public void forEach(BiConsumer<String, byte[]> visitor) {
        values.forEach((name, value) -> visitor.accept(name, value.clone()));
    }

    /** Returns the names only. */
    @Override
    public String toString() {
        return "Secrets" + values.keySet();
    }
}
