package dev.cloche.qemu.qmp;

import dev.cloche.base.Deadline;
import dev.cloche.base.Printable;
import dev.cloche.vm.VmException;
import dev.cloche.vmm.VmWaits;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;

/** Connects to QEMU's monitor and runs commands, one after the other. Not for use by several threads. */
public final class QmpConnection implements AutoCloseable {
    private static final int MAX_LINE = 1 << 20;
    private static final int MAX_SENTENCE = 200;
    private static final int MAX_EVENTS = 256;
    /** How often a wait looks whether it is in vain. */
    private static final long LOOK_MILLIS = 1000;

    private static final QmpCommand CAPABILITIES = QmpCommand.of("qmp_capabilities");

    private final SocketChannel channel;
    private final Selector selector;
    private final Deadline deadline;
    private final VmWaits.Hindered vm;
    private final ByteBuffer buffer = ByteBuffer.allocate(4096).limit(0);
    private String what = "the monitor's greeting";
    private boolean greeted;
    private boolean broken;
    /** The latest event of each name. */
    private final Map<String, QmpAnswer.Event> heard = new HashMap<>();

    private QmpConnection(SocketChannel channel, Selector selector, Deadline deadline, VmWaits.Hindered vm) {
        this.channel = channel;
        this.selector = selector;
        this.deadline = deadline;
        this.vm = vm;
    }

    /**
     * @param vm is asked while nothing comes
     */
    static QmpConnection open(Path socket, Deadline deadline, VmWaits.Hindered vm) throws IOException {
        SocketChannel channel = UnixChannels.connect(socket, deadline);
        try {
            channel.configureBlocking(false);
            Selector selector = Selector.open();
            QmpConnection opened = new QmpConnection(channel, selector, deadline, vm);
            try {
                channel.register(selector, SelectionKey.OP_READ);
                opened.send(CAPABILITIES);
                return opened;
            } catch (Throwable failure) {
                selector.close();
                throw failure;
            }
        } catch (Throwable failure) {
            channel.close();
            throw failure;
        }
    }

    /**
     * Hears the greeting and the answer to the first command, which was sent without waiting: one way back, not three.
     * QEMU's main loop may tell an event, such as that the network is connected, before its monitor's thread greets.
     */
    private void greeted() throws IOException {
        if (!(answer() instanceof QmpAnswer.Greeting)) {
            throw new IOException("it does not greet");
        }
        if (answer() instanceof QmpAnswer.Refused refused) {
            throw refusal(CAPABILITIES, refused);
        }
        greeted = true;
    }

    /**
     * Has QEMU execute a command, and returns its answer.
     *
     * @throws VmException.Monitor if QEMU refuses the command
     */
    public QmpAnswer.Done execute(QmpCommand command) throws IOException {
        return switch (ask(command)) {
            case QmpAnswer.Done done -> done;
            case QmpAnswer.Refused refused -> throw refusal(command, refused);
            case QmpAnswer.Greeting _ -> throw new IOException("it greets again");
            case QmpAnswer.Event _ -> throw new IllegalStateException("an event answers nothing");
        };
    }

    /** Returns whether QEMU has an object of this path in its tree. */
    public boolean has(String path) throws IOException {
        QmpCommand look = new QmpCommand("qom-list", Map.of("path", path));
        QmpAnswer answer = ask(look);
        if (answer instanceof QmpAnswer.Refused refused && !refused.kind().equals("DeviceNotFound")) {
            throw refusal(look, refused);
        }
        return answer instanceof QmpAnswer.Done;
    }

    private static VmException.Monitor refusal(QmpCommand command, QmpAnswer.Refused refused) {
        String sentence = refused.sentence();
        return new VmException.Monitor(
                "QEMU refuses '" + command.name() + "': "
                        + Printable.of(sentence.substring(0, Math.min(sentence.length(), MAX_SENTENCE))),
                null);
    }

    /** After a failure, an answer that comes late would be taken for that to the next command; so there is no next one. */
    private QmpAnswer ask(QmpCommand command) throws IOException {
        if (broken) {
            throw new IOException("what it does is not known since an earlier failure");
        }
        broken = true;
        send(command);
        if (!greeted) {
            greeted();
        }
        what = "its answer to '" + command.name() + "'";
        QmpAnswer answer = answer();
        broken = false;
        return answer;
    }

    /** Returns what comes next and is no event; notes the events before it. */
    private QmpAnswer answer() throws IOException {
        QmpAnswer answer = next();
        while (answer instanceof QmpAnswer.Event event) {
            note(event);
            answer = next();
        }
        return answer;
    }

    /**
     * Waits for the end of a migration that was begun in this conversation, whose events are switched on.
     *
     * @return whether it succeeded
     */
    boolean migrated() throws IOException {
        String status = "";
        while (!status.equals("completed") && !status.equals("failed")) {
            status = event("MIGRATION").getOrDefault("status", "");
        }
        return status.equals("completed");
    }

    /** Waits for an event, unless it has come already and was not asked for; answers its text fields. */
    public Map<String, String> event(String name) throws IOException {
        what = "the event " + name;
        QmpAnswer.Event event = heard.remove(name);
        while (event == null) {
            if (next() instanceof QmpAnswer.Event next) {
                note(next);
            }
            event = heard.remove(name);
        }
        return event.texts();
    }

    private void note(QmpAnswer.Event event) {
        // QEMU has some dozens of names; a peer that invents more is not QEMU.
        if (heard.size() < MAX_EVENTS) {
            heard.put(event.name(), event);
        }
    }

    /** A command is far smaller than a socket's buffer, and QEMU reads all but the first before it gets the next. */
    private void send(QmpCommand command) throws IOException {
        ByteBuffer line = ByteBuffer.wrap(command.line());
        channel.write(line);
        if (line.hasRemaining()) {
            throw new IOException("its socket is full");
        }
    }

    private QmpAnswer next() throws IOException {
        ByteArrayOutputStream line = new ByteArrayOutputStream();
        while (true) {
            if (!buffer.hasRemaining()) {
                fill();
            }
            byte next = buffer.get();
            if (next == '\n') {
                return QmpAnswer.parse(line.toByteArray());
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
                throw new VmException.Deadline(what);
            }
            if (selector.select(Math.clamp(deadline.remainingMillis(), 1, LOOK_MILLIS)) == 0) {
                vm.check();
            }
            selector.selectedKeys().clear();
            if (Thread.currentThread().isInterrupted()) {
                throw VmWaits.interrupted(what);
            }
            count = channel.read(buffer);
        }
        buffer.flip();
        if (count < 0) {
            throw new IOException("it closed the connection");
        }
    }

    @Override
    public void close() throws IOException {
        try (Selector _ = selector) {
            channel.close();
        }
    }
}
