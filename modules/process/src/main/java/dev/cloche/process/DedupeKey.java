package dev.cloche.process;

/** By what two wakes of one target are known to be the same. */
public sealed interface DedupeKey {
    /** Each event wakes: {@code <process>:<sequence>}. */
    record EventIdentity() implements DedupeKey {}

    /** A value of the payload: a string as it is, anything else as its JSON text. */
    record Selected(Selector selector) implements DedupeKey {}

    /** All events of the type wake as one. */
    record Constant(String key) implements DedupeKey {
        public Constant {
            Names.require("a dedupe key", key);
        }
    }
}
