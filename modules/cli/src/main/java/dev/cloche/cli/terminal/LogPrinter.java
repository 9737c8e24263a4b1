package dev.cloche.cli.terminal;

import java.io.ByteArrayOutputStream;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.util.Collection;

/** Prints lines of a log to the two outputs of this process, byte for byte. For one thread. */
public final class LogPrinter {
    private final boolean timestamps;
    private final boolean json;
    private final Target out = new Target(FileDescriptor.out);
    private final Target err = new Target(FileDescriptor.err);

    public LogPrinter(boolean timestamps, boolean json) {
        this.timestamps = timestamps;
        this.json = json;
    }

    public void print(Collection<LogLine> lines) throws IOException {
        for (LogLine line : lines) {
            print(line);
        }
    }

    private void print(LogLine line) throws IOException {
        if (json) {
            out.write(ByteBuffer.wrap(json(line)));
        } else {
            (line.error() ? err : out).print(line);
        }
    }

    /** Returns the bytes of a line; {@code System.out} would not report that its reader has left. */
    private static byte[] json(LogLine line) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (PrintStream text = new PrintStream(bytes, false, StandardCharsets.UTF_8)) {
            JsonOutput.printLine(
                    text,
                    object -> object.field("time", line.time())
                            .field("stream", line.error() ? "stderr" : "stdout")
                            .field(
                                    "text",
                                    StandardCharsets.UTF_8.decode(line.bytes()).toString()));
        }
        return bytes.toByteArray();
    }

    private final class Target {
        private final FileChannel channel;
        private boolean midLine;

        Target(FileDescriptor descriptor) {
            channel = new FileOutputStream(descriptor).getChannel();
        }

        void print(LogLine line) throws IOException {
            if (timestamps && !midLine) {
                write(StandardCharsets.US_ASCII.encode(line.time() + " "));
            }
            midLine = line.bytes().get(line.bytes().limit() - 1) != '\n';
            write(line.bytes());
        }

        private void write(ByteBuffer bytes) throws IOException {
            while (bytes.hasRemaining()) {
                channel.write(bytes);
            }
        }
    }
}
