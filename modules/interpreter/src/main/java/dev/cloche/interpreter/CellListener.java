package dev.cloche.interpreter;

import dev.cloche.vm.Output;

/** Is told what a cell writes and shows, as it comes, by the thread that runs the cell. While it works the cell may wait for it. */
public interface CellListener {
    /** Hears nothing. */
    CellListener NONE = new CellListener() {};

    /** Hears a piece of output, which may end within a character. */
    default void output(Output output, byte[] piece) {}

    /** Hears of a value that the code has shown before its end. */
    default void display(MimeBundle shown) {}
}
