package dev.cloche;

import dev.cloche.sandbox.ChildSpec;
import dev.cloche.sandbox.Secrets;

/** The secrets of sandboxes that are about to begin with a snapshot. Not safe for use from several threads. */
final class ChildSecrets {
    private Secrets own = Secrets.none();
    private boolean originals;

    void add(String name, byte[] value) {
        own = own.with(name, value);
    }

    void add(String name, String value) {
        own = own.with(name, value);
    }

    void keepOriginals(boolean value) {
        originals = value;
    }

    /** @throws dev.cloche.base.ClocheException if there are both */
    ChildSpec addedTo(ChildSpec child) {
        return child.withSecrets(own, originals);
    }
}
