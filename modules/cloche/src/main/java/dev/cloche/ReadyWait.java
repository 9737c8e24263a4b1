package dev.cloche;

import dev.cloche.base.Deadline;
import dev.cloche.vm.GuestException;
import dev.cloche.vm.OutputLog;
import dev.cloche.vm.OutputLogEntry;
import dev.cloche.vm.VmException;
import dev.cloche.vm.ready.HttpQuestion;
import dev.cloche.vm.ready.Listeners;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.Optional;
import java.util.function.BooleanSupplier;

/** Waits until a sandbox or a machine is ready, or ends. For one wait. */
final class ReadyWait {
    private static final Duration FIRST_PAUSE = Duration.ofMillis(10);
    private static final Duration LONGEST_PAUSE = Duration.ofMillis(500);
    /** For one answer of a server, which may hang while it starts. */
    private static final Duration ANSWER_LIMIT = Duration.ofSeconds(5);
    /** From the last word of a main command to the recorded end of its sandbox. */
    private static final Duration END_LIMIT = Duration.ofSeconds(30);

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
        try {
            return subject.owner().withFiles(files -> Listeners.has(port, files, deadline));
        } catch (VmException.Deadline late) {
            return false;
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
        HttpQuestion question = new HttpQuestion(subject.owner()::dial, port, path);
        again(
                () -> question.trouble(deadline.orAfter(ANSWER_LIMIT)).isEmpty(),
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
}
