package dev.cloche.cli.sandbox;

import dev.cloche.base.Printable;
import dev.cloche.cli.terminal.OutputLost;
import dev.cloche.cli.terminal.StandardError;
import dev.cloche.interpreter.CellListener;
import dev.cloche.interpreter.CellResult;
import dev.cloche.interpreter.MimeBundle;
import dev.cloche.vm.Output;
import java.io.IOException;

/** Prints what a cell writes as it comes, and what came of it, as the prompt of its language does. */
final class CellPrinter implements CellListener {
    @Override
    public void output(Output output, byte[] piece) {
        try {
            if (output == Output.STDOUT) {
                System.out.write(piece);
                System.out.flush();
            } else {
                StandardError.shared().write(piece);
            }
        } catch (IOException failed) {
            throw new OutputLost(failed);
        }
    }

    @Override
    public void display(MimeBundle shown) {
        show(shown);
    }

    /** Of an image, which no terminal shows, its kind and size. */
    private static void show(MimeBundle shown) {
        System.out.println(Printable.lines(shown.text()));
        for (String type : shown.types()) {
            if (type.startsWith("image/")) {
                int size = shown.bytes(type).orElseThrow().length;
                System.out.println("[" + Printable.of(type) + ", " + size + " bytes]");
            }
        }
        System.out.flush();
    }

    /** Prints what is known at its end: the value, the error, what is to be known besides. */
    void end(CellResult result) {
        result.value().ifPresent(CellPrinter::show);
        result.error().ifPresent(error -> {
            StandardError.shared().beginLine();
            System.err.print(Printable.lines(error.text()));
        });
        if (!result.notice().isEmpty()) {
            StandardError.shared().beginLine();
            System.err.println("cloche: " + result.notice());
        }
    }
}
