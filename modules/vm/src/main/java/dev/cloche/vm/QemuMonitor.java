package dev.cloche.vm;

import dev.cloche.base.Deadline;
import dev.cloche.linux.LockFile;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Optional;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;

/**
 * Gives single commands to QEMU over QMP (docs/interop/qmp-spec of QEMU: one JSON object a line).
 *
 * <p>Its socket serves one client at a time and lets a second one hang, so each command is a connection of its own, under
 * a lock file. QEMU runs the guest and is trusted no more than it: answers are bounded.
 */
final class QemuMonitor {
    private static final int MAX_LINE = 1 << 20;

    private final Path socket;
    private final Path lock;

    QemuMonitor(VmLayout layout, VmId id) {
        socket = layout.monitorSocket(id);
        lock = layout.monitorLock(id);
    }

    /**
     * Executes a command without arguments.
     *
     * @throws VmBusyException if another process is speaking to this monitor
     * @throws VmMonitorException if QEMU refuses the command or cannot be reached
     */
    void execute(String command, Deadline deadline) {
        try (LockFile _ = LockFile.tryLock(lock)
                        .orElseThrow(() -> new VmBusyException(
                                "Another process is speaking to the monitor of this VM", "Try again."));
                SocketChannel channel = UnixChannels.connect(socket);
                Selector selector = Selector.open()) {
            channel.configureBlocking(false);
            channel.register(selector, SelectionKey.OP_READ);
            Conversation qemu = new Conversation(channel, selector, deadline, command);
            qemu.expect("QMP");
            qemu.send("qmp_capabilities");
            qemu.expect("return");
            qemu.send(command);
            qemu.expect("return");
        } catch (IOException e) {
            throw new VmMonitorException("QEMU cannot be reached for '" + command + "': " + e.getMessage(), e);
        }
    }

    private static final class Conversation {
        private final SocketChannel channel;
        private final Selector selector;
        private final Deadline deadline;
        private final String what;
        private final ByteBuffer buffer = ByteBuffer.allocate(4096).limit(0);

        Conversation(SocketChannel channel, Selector selector, Deadline deadline, String command) {
            this.channel = channel;
            this.selector = selector;
            this.deadline = deadline;
            what = "its answer to '" + command + "'";
        }

        /** A command is far smaller than a socket's buffer, and QEMU reads one before it gets the next. */
        void send(String command) throws IOException {
            ByteBuffer line = ByteBuffer.wrap(("{\"execute\":\"" + command + "\"}\n").getBytes(StandardCharsets.UTF_8));
            channel.write(line);
            if (line.hasRemaining()) {
                throw new IOException("its socket is full");
            }
        }

        /** Reads up to the line whose object has this key; events in between are skipped. */
        void expect(String key) throws IOException {
            while (true) {
                String found = firstKey(line());
                if (found.equals(key)) {
                    return;
                }
                if (found.equals("error")) {
                    throw new VmMonitorException("QEMU answered with an error instead of " + what, null);
                }
            }
        }

        private byte[] line() throws IOException {
            ByteArrayOutputStream line = new ByteArrayOutputStream();
            while (true) {
                if (!buffer.hasRemaining()) {
                    fill();
                }
                byte next = buffer.get();
                if (next == '\n') {
                    return line.toByteArray();
                }
                line.write(next);
                if (line.size() > MAX_LINE) {
                    throw new IOException("it sends a line without end");
                }
            }
        }

        private void fill() throws IOException {
            buffer.clear();
            int count = channel.read(buffer);
            while (count == 0) {
                if (deadline.passed()) {
                    throw new VmDeadlineException(what);
                }
                selector.select(Math.max(1, deadline.remainingMillis()));
                selector.selectedKeys().clear();
                if (Thread.currentThread().isInterrupted()) {
                    throw Waiting.interrupted(what);
                }
                count = channel.read(buffer);
            }
            buffer.flip();
            if (count < 0) {
                throw new IOException("it closed the connection");
            }
        }

        /** Of an answer its kind, "return" or "error"; of a greeting "QMP"; of an event one of its keys. */
        private static String firstKey(byte[] json) throws IOException {
            try (JsonParser in = FlatJson.FACTORY.createParser(ObjectReadContext.empty(), json)) {
                if (in.nextToken() == JsonToken.START_OBJECT && in.nextToken() == JsonToken.PROPERTY_NAME) {
                    return Optional.ofNullable(in.currentName()).orElse("");
                }
                throw new IOException("its answer is no object");
            } catch (JacksonException e) {
                throw new IOException("its answer is no JSON", e);
            }
        }
    }
}
