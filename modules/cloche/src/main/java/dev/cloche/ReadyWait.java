package dev.cloche;

import dev.cloche.base.Deadline;
import dev.cloche.vm.DialRequest;
import dev.cloche.vm.GuestException;
import dev.cloche.vm.GuestFileException;
import dev.cloche.vm.GuestStream;
import dev.cloche.vm.OutputLog;
import dev.cloche.vm.OutputLogEntry;
import dev.cloche.vm.VmException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Waits until a sandbox or a machine is ready, or ends. For one wait. */
final class ReadyWait {
    private static final Duration FIRST_PAUSE = Duration.ofMillis(10);
    private static final Duration LONGEST_PAUSE = Duration.ofMillis(500);
    /** For one answer of a server, which may hang while it starts. */
    private static final Duration ANSWER_LIMIT = Duration.ofSeconds(5);
    /** From the last word of a main command to the recorded end of its sandbox. */
    private static final Duration END_LIMIT = Duration.ofSeconds(30);

    private static final int MOST_SOCKETS = 16 << 20;
    /** The state of a socket that listens, in include/net/tcp_states.h. */
    private static final String LISTENS = "0A";

    private final ReadySubject subject;
    private final Deadline deadline;

    ReadyWait(ReadySubject subject, Deadline deadline) {
        this.subject = subject;
        this.deadline = deadline;
    }

    void until(Ready condition) {
        switch (condition) {
            case Ready.Port(int port) ->
                again(() -> listens(port), "no program listens on port " + port + " of its guest");
            case Ready.Log(String text) -> awaitText(text);
            case Ready.Http(int port, String path) -> awaitAnswer(port, path);
            case Ready.Command command -> again(() -> succeeds(command), "the command does not succeed");
        }
    }

    /** Looks again and again, after pauses that are cut short by the end of what is waited for. */
    private void again(BooleanSupplier look, String missing) {
        Duration pause = FIRST_PAUSE;
        while (!look.getAsBoolean()) {
            Duration left = Duration.ofNanos(Math.max(0, deadline.remainingNanos()));
            Optional<RuntimeException> end = subject.awaitEnd(pause.compareTo(left) < 0 ? pause : left);
            if (end.isPresent()) {
                throw end.get();
            }
            if (deadline.passed()) {
                throw subject.notReady(missing);
            }
            Duration doubled = pause.multipliedBy(2);
            pause = doubled.compareTo(LONGEST_PAUSE) < 0 ? doubled : LONGEST_PAUSE;
        }
    }

    private boolean listens(int port) {
        String wanted = ":%04X".formatted(port);
        return Stream.of("/proc/net/tcp", "/proc/net/tcp6")
                .flatMap(table -> sockets(table).lines().skip(1))
                .map(line -> line.strip().split(" +"))
                .anyMatch(parts -> parts.length > 3 && parts[1].endsWith(wanted) && parts[3].equals(LISTENS));
    }

    /** A kernel without IPv6 has no table of it. */
    private String sockets(String table) {
        try {
            byte[] lines = subject.owner().withFiles(files -> files.readAllBytes(table, MOST_SOCKETS, deadline));
            return new String(lines, StandardCharsets.US_ASCII);
        } catch (GuestFileException.NoSuchFile | VmException.Deadline none) {
            return "";
        } catch (GuestException.ConnectionLost | VmException.WrongState lost) {
            throw subject.owner().ended(lost);
        }
    }

    private boolean succeeds(Ready.Command command) {
        Duration left = Duration.ofNanos(Math.max(1, deadline.remainingNanos()));
        try {
            return subject.command(command.words().toArray(String[]::new))
                    .timeout(left)
                    .run()
                    .exit()
                    .success();
        } catch (VmException.Deadline | CommandException.TimedOut late) {
            return false;
        }
    }

    /** The limit is for the whole head of an answer: a guest may send it byte by byte. The body is not read. */
    private void awaitAnswer(int port, String path) {
        HttpQuestion question = new HttpQuestion(subject.owner(), port, path);
        again(
                () -> question.isAnsweredWell(deadline.orAfter(ANSWER_LIMIT)),
                "no good answer comes from port " + port + " of its guest");
    }

    private void awaitText(String text) {
        TextSearch stdout = new TextSearch(text);
        TextSearch stderr = new TextSearch(text);
        try (OutputLog log = subject.outputLog()) {
            for (Optional<OutputLogEntry> entry = log.await(deadline); entry.isPresent(); entry = log.await(deadline)) {
                OutputLogEntry piece = entry.get();
                TextSearch search = piece.error() ? stderr : stdout;
                if (search.found(piece.missing() > 0, piece.bytes())) {
                    return;
                }
            }
        } catch (VmException.Deadline late) {
            throw subject.notReady("its main command has not written what was waited for");
        }
        throw subject.awaitEnd(END_LIMIT)
                .orElseGet(() -> subject.notReady("its main command has ended and did not write what was waited for"));
    }

    /** Looks for a text in pieces of an output, one of which may end inside of it. For one output. */
    private static final class TextSearch {
        private final byte[] text;
        private byte[] end = {};

        TextSearch(String text) {
            this.text = text.getBytes(StandardCharsets.UTF_8);
        }

        /** @param gap whether something between the piece before and this one is lost */
        boolean found(boolean gap, ByteBuffer piece) {
            byte[] before = gap ? new byte[0] : end;
            byte[] all = Arrays.copyOf(before, before.length + piece.remaining());
            piece.duplicate().get(all, before.length, piece.remaining());
            for (int from = 0; from + text.length <= all.length; from++) {
                if (Arrays.equals(all, from, from + text.length, text, 0, text.length)) {
                    return true;
                }
            }
            end = Arrays.copyOfRange(all, Math.max(0, all.length - text.length + 1), all.length);
            return false;
        }
    }

    /**
     * Asks a server in a guest for a page, through the guest's agent. Reads the head of the answer only. The JDK's client opens its
     * connections itself, and cannot be given one.
     */
    private static final class HttpQuestion {
        private static final int MOST_HEAD = 64 * 1024;
        private static final byte[] END = {'\r', '\n', '\r', '\n'};
        private static final Pattern GOOD = Pattern.compile("HTTP/1\\.[01] [23][0-9][0-9][ \r].*", Pattern.DOTALL);

        private final GuestOwner owner;
        private final int port;
        private final String path;

        HttpQuestion(GuestOwner owner, int port, String path) {
            this.owner = owner;
            this.port = port;
            this.path = path;
        }

        /** Returns whether the whole head of an answer comes in time, with a status from 200 to 399. */
        boolean isAnsweredWell(Deadline deadline) {
            CompletableFuture<Boolean> asked = new CompletableFuture<>();
            try (GuestStream server = owner.dial(DialRequest.port(port), deadline)) {
                // Reads know no deadline: they end with the stream.
                var _ = asked.orTimeout(deadline.remainingNanos(), TimeUnit.NANOSECONDS)
                        .whenComplete((_, _) -> server.abort());
                server.write(ByteBuffer.wrap(request().getBytes(StandardCharsets.US_ASCII)));
                return GOOD.matcher(head(server)).matches();
            } catch (IOException | GuestException.ConnectionRefused | VmException.Deadline notYet) {
                return false;
            } finally {
                asked.complete(true);
            }
        }

        private String request() {
            return "GET " + path + " HTTP/1.1\r\nHost: localhost:" + port
                    + "\r\nUser-Agent: cloche\r\nAccept: */*\r\nConnection: close\r\n\r\n";
        }

        /** Returns nothing if it is not whole, or too long. Looks at each byte once, however few come at a time. */
        private static String head(GuestStream server) throws IOException {
            ByteBuffer head = ByteBuffer.allocate(MOST_HEAD);
            int looked = 0;
            while (head.hasRemaining() && server.read(head) >= 0) {
                for (; looked + END.length <= head.position(); looked++) {
                    if (Arrays.equals(head.array(), looked, looked + END.length, END, 0, END.length)) {
                        return new String(head.array(), 0, head.position(), StandardCharsets.ISO_8859_1);
                    }
                }
            }
            return "";
        }
    }
}
