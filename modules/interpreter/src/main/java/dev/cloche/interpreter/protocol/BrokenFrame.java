package dev.cloche.interpreter.protocol;

/** What came is nothing that a driver says. */
public final class BrokenFrame extends Exception {
    private static final long serialVersionUID = 1;

    private final String why;

    public BrokenFrame(String why) {
        super(why);
        this.why = why;
    }

    /** Returns what is wrong, as the end of a sentence. */
    public String why() {
        return why;
    }
}
