package dev.cloche.interpreter.protocol;

/** What came is nothing that a driver says. Its message is the end of a sentence. */
public final class BrokenFrame extends Exception {
    private static final long serialVersionUID = 1;

    public BrokenFrame(String why) {
        super(why);
    }
}
