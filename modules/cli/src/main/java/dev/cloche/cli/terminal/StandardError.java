package dev.cloche.cli.terminal;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.FilterOutputStream;
import java.io.IOException;

/** Standard error as a guest's command writes to it, byte for byte and unbuffered; knows whether a line of ours can begin. */
public final class StandardError extends FilterOutputStream {
    private static final StandardError SHARED = new StandardError();

    private volatile boolean midLine;

    private StandardError() {
        super(new FileOutputStream(FileDescriptor.err));
    }

    public static StandardError shared() {
        return SHARED;
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
        out.write(bytes, offset, length);
        if (length > 0) {
            midLine = bytes[offset + length - 1] != '\n';
        }
    }

    /** Ends the line that the command has left unfinished. */
    public void beginLine() {
        if (midLine) {
            System.err.println();
            midLine = false;
        }
    }
}
