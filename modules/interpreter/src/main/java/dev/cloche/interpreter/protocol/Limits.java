package dev.cloche.interpreter.protocol;

/** How large things of a guest may be. What a driver of ours says is within the first four; the others are counted here. */
public final class Limits {
    /** Of the JSON before each payload, in bytes. */
    public static final int HEADER = 256 << 10;
    /** Of one value in all its forms, or of one piece of output, in bytes. */
    public static final int PAYLOAD = 16 << 20;
    /** Of the forms of a value. */
    public static final int TYPES = 32;
    /** Of the frames of an error. */
    public static final int FRAMES = 65;
    /** Of all outputs and values of a cell, in bytes. */
    public static final int CELL = 64 << 20;
    /** What each value of a cell counts besides its bytes. */
    public static final int VALUE_OVERHEAD = 1 << 10;

    static final int TYPE_LENGTH = 100;
    static final int WORDS_LENGTH = 16 << 10;

    private Limits() {}
}
