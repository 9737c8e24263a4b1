package dev.cloche.process;

/** Says what an acknowledged write is worth. */
public enum Durability {
    /** It survives the end of this program and a power cut. */
    DURABLE,
    /** It is gone with this program. */
    VOLATILE
}
