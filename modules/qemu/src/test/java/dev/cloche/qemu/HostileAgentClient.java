package dev.cloche.qemu;

import dev.cloche.base.Deadline;
import dev.cloche.vm.CopyListener;
import dev.cloche.vm.CopyOptions;
import dev.cloche.vm.ExecRequest;
import dev.cloche.vm.Guest;
import dev.cloche.vm.GuestException;
import dev.cloche.vm.GuestExecution;
import dev.cloche.vm.Vm;
import dev.cloche.vm.VmException;
import dev.cloche.vm.VmId;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Lets itself be lied to by a VM, in a process of its own whose heap is small: {@code STATE_ROOT SHARE VM COPIES
 * LIE…}. A lie that begins with {@code copy:} is told while a tree is copied out, into the directory COPIES. Prints a
 * line for each lie: its name, and the exception's class or what was survived.
 */
final class HostileAgentClient {
    private static final int ENOUGH = 8 * 1024 * 1024;

    static final String COPY = "copy:";
    private static final int MOST_ENTRIES = 1000;

    /** Lies after which an answer that is due never comes: only a deadline ends them. */
    private static final Set<String> SILENCE = Set.of("detached-unasked", "silence", "half-a-frame");

    /** The one whose execution is silent, and whose guest answers. */
    private static final String NO_OUTPUT = "stdin-credit-overflow";

    private static final Duration SHORT = Duration.ofSeconds(3);
    /** For what comes by itself, however busy this host is. */
    private static final Duration LONG = Duration.ofMinutes(5);

    private HostileAgentClient() {}

    public static void main(String[] arguments) {
        VmLayout layout = VmLayout.of(Path.of(arguments[0]));
        VmId id = new VmId(arguments[2]);
        Path copies = Path.of(arguments[3]);
        try (QemuProvider provider = new QemuProvider(layout, VmResources.find(List.of(Path.of(arguments[1]))))) {
            for (String lie : Arrays.asList(arguments).subList(4, arguments.length)) {
                try (Vm vm = provider.connect(id, Deadline.after(LONG))) {
                    String outcome = lie.startsWith(COPY)
                            ? copied(vm.guest(), lie.substring(COPY.length()), copies)
                            : outcome(vm.guest(), lie);
                    System.out.println(lie + " " + outcome);
                }
            }
        }
    }

    private static String copied(Guest guest, String lie, Path copies) {
        Duration patience = SILENCE.contains(lie) ? SHORT : LONG;
        CopyOptions options = CopyOptions.DEFAULT.withMaxEntries(MOST_ENTRIES);
        try {
            var _ = guest.files()
                    .copyOut(
                            "/lies/" + lie,
                            copies.resolve(lie),
                            options,
                            CopyListener.silent(),
                            Deadline.after(patience));
            guest.ping(Deadline.after(patience));
            return "survived";
        } catch (GuestException.CopyIncomplete e) {
            return Optional.ofNullable(e.getCause())
                    .map(cause -> cause.getClass().getSimpleName())
                    .orElse("no cause");
        } catch (VmException e) {
            return e.getClass().getSimpleName();
        }
    }

    private static String outcome(Guest guest, String lie) {
        Duration patience = SILENCE.contains(lie) ? SHORT : LONG;
        try (GuestExecution execution = guest.exec(ExecRequest.of(lie).withStdin(), Deadline.after(patience))) {
            // A reader that keeps pace grants all that comes, so here nothing is read.
            String end = lie.equals("beyond-credit")
                    ? execution.await(Deadline.after(patience)).toString()
                    : read(execution, lie.equals(NO_OUTPUT) ? SHORT : patience);
            guest.ping(Deadline.after(patience));
            return "survived " + end;
        } catch (VmException | IOException e) {
            return e.getClass().getSimpleName();
        }
    }

    /** In a thread of its own, because a read has no deadline: closing the execution ends it. */
    private static String read(GuestExecution execution, Duration patience) throws IOException {
        FutureTask<Boolean> reading = new FutureTask<>(() -> readSome(execution.stdout()));
        Thread.ofVirtual().start(reading);
        try {
            boolean ended = reading.get(patience.toMillis(), TimeUnit.MILLISECONDS);
            return ended ? execution.await(Deadline.after(patience)).toString() : "endless output";
        } catch (TimeoutException e) {
            return "silence";
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        } catch (ExecutionException e) {
            if (e.getCause() instanceof IOException known) {
                throw known;
            }
            if (e.getCause() instanceof VmException known) {
                throw known;
            }
            throw new IllegalStateException(e);
        }
    }

    /** Whether it has ended. */
    private static boolean readSome(InputStream stream) throws IOException {
        byte[] bytes = new byte[65_536];
        int total = 0;
        for (int n = stream.read(bytes); n >= 0; n = stream.read(bytes)) {
            total += n;
            if (total > ENOUGH) {
                return false;
            }
        }
        return true;
    }
}
