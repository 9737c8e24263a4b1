package dev.cloche.vm.testing;

import dev.cloche.vm.TerminalSize;
import java.io.FilterInputStream;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;

/** As much of a terminal as tests need: a size, an echo, and a carriage return before each newline. */
final class InMemoryTerminal {
    private volatile TerminalSize size;

    InMemoryTerminal(TerminalSize size) {
        this.size = size;
    }

    TerminalSize size() {
        return size;
    }

    void resize(TerminalSize value) {
        size = value;
    }

    /** Returns what a program writes to it. */
    OutputStream output(OutputStream raw) {
        return new FilterOutputStream(raw) {
            @Override
            public void write(int b) throws IOException {
                if (b == '\n') {
                    out.write('\r');
                }
                out.write(b);
            }
        };
    }

    /** Returns what is typed; shown on {@code output} when the program reads it. */
    InputStream input(InputStream raw, OutputStream output) {
        return new FilterInputStream(raw) {
            @Override
            public int read() throws IOException {
                int b = super.read();
                if (b >= 0) {
                    output.write(b);
                }
                return b;
            }

            @Override
            public int read(byte[] target, int offset, int length) throws IOException {
                int count = super.read(target, offset, length);
                if (count > 0) {
                    output.write(target, offset, count);
                }
                return count;
            }
        };
    }
}
