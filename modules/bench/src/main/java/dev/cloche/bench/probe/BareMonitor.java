package dev.cloche.bench.probe;

import java.io.BufferedReader;
import java.io.EOFException;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;

/** QEMU's monitor as a script uses it: one command a line, and what comes is searched for a word. */
final class BareMonitor {
    private final BufferedReader in;
    private final OutputStream out;

    BareMonitor(SocketChannel channel) throws IOException {
        in = new BufferedReader(Channels.newReader(channel, StandardCharsets.UTF_8));
        out = Channels.newOutputStream(channel);
        await("\"QMP\"");
        execute("{\"execute\":\"qmp_capabilities\"}");
    }

    void execute(String command) throws IOException {
        out.write((command + "\n").getBytes(StandardCharsets.UTF_8));
        await("\"return\"");
    }

    /** Reads up to a line with this text in it. */
    void await(String text) throws IOException {
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            if (line.contains("\"error\"") || line.contains("\"failed\"")) {
                throw new IllegalStateException("QEMU refuses: " + line);
            }
            if (line.contains(text)) {
                return;
            }
        }
        throw new EOFException("QEMU closed its monitor");
    }
}
