package dev.cloche.qemu.guard;

import dev.cloche.base.Deadline;
import dev.cloche.linux.FileSignal;
import dev.cloche.linux.LockFile;
import dev.cloche.linux.PinnedProcess;
import dev.cloche.vm.PublishedPort;
import dev.cloche.vm.VmException;
import dev.cloche.vm.VmId;
import dev.cloche.vmm.VmWaits;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;

/**
 * Represents the TCP ports of this host that a VM's guard has lead into the guest, by the guest channel; see docs/guard.md. They need no
 * network, and no process but the guard.
 */
public final class GuardPorts {
    static final String FILE = "ports";
    static final String ANSWER = "ports.answer";

    private static final int SIGUSR2 = 12;
    private static final int MOST = 64;

    private final VmId id;
    private final Path directory;
    private final GuardFiles files;

    public GuardPorts(VmId id, Path directory) {
        this.id = id;
        this.directory = directory;
        files = new GuardFiles(directory);
    }

    /** Says why a port is not there; 0 if it is. */
    private record Answer(PublishedPort port, int error) {}

    private record Answers(long number, List<Answer> list) {
        static final Answers NONE = new Answers(0, List.of());

        List<PublishedPort> there() {
            return list.stream()
                    .filter(answer -> answer.error() == 0)
                    .map(Answer::port)
                    .toList();
        }
    }

    /** Returns those that lead into the guest at present. */
    public List<PublishedPort> current() throws IOException {
        return read().there();
    }

    /**
     * Refuses a guard that knows nothing of this, and would end by the signal.
     *
     * @throws VmException.OlderGuard if it is one
     */
    public void requireAble() {
        if (!files.publishesPorts()) {
            throw new VmException.OlderGuard(id);
        }
    }

    /**
     * Changes which ports there are, one process after the other.
     *
     * @param change of those that there are to those that are wanted
     * @return those that there are then
     * @throws VmException.PortUnavailable if one cannot be had; those of before are there then
     */
    public List<PublishedPort> change(UnaryOperator<List<PublishedPort>> change, PinnedProcess guard, Deadline deadline)
            throws IOException {
        try (LockFile _ = LockFile.lock(directory.resolve("ports.lock"), deadline)
                .orElseThrow(
                        () -> new VmException.Busy("Another process changes the ports of VM " + id, "Try again."))) {
            Answers before = read();
            List<PublishedPort> wanted = change.apply(before.there());
            if (wanted.size() > MOST) {
                throw new VmException.Invalid(
                        wanted.size() + " TCP ports cannot be published", "Publish at most " + MOST + ".");
            }
            Answers after = ask(wanted, before.number() + 1, guard, deadline);
            Optional<Answer> failed =
                    after.list().stream().filter(answer -> answer.error() != 0).findFirst();
            if (failed.isPresent()) {
                var _ = ask(before.there(), after.number() + 1, guard, deadline);
                throw new VmException.PortUnavailable(
                        failed.get().port(), new IOException(reason(failed.get().error())));
            }
            return after.there();
        } catch (InterruptedException e) {
            throw VmWaits.interrupted("the ports of a VM");
        }
    }

    /** Asks the guard, which answers with the number of what it was asked for. */
    private Answers ask(List<PublishedPort> ports, long number, PinnedProcess guard, Deadline deadline)
            throws IOException, InterruptedException {
        StringBuilder text = new StringBuilder().append(number).append('\n');
        ports.forEach(port -> text.append(port.hostAddress())
                .append(':')
                .append(port.hostPort())
                .append(':')
                .append(port.guestPort())
                .append('\n'));
        try (FileSignal changes = FileSignal.listen(directory)) {
            Path written = Files.write(
                    directory.resolve(FILE + ".tmp"), text.toString().getBytes(StandardCharsets.US_ASCII));
            Files.move(written, directory.resolve(FILE), StandardCopyOption.ATOMIC_MOVE);
            boolean lives = guard.signal(SIGUSR2);
            var _ = guard.onEnd().thenRun(changes::wake);
            for (Answers answers = read(); lives; answers = read()) {
                if (answers.number() == number) {
                    return answers;
                }
                if (guard.onEnd().isDone()) {
                    lives = false;
                } else if (!changes.await(deadline)) {
                    throw new VmException.Deadline("the answer of the guard about ports");
                }
            }
            throw new IOException("its guard has ended");
        }
    }

    private Answers read() throws IOException {
        List<String> lines;
        try {
            lines = Files.readAllLines(directory.resolve(ANSWER), StandardCharsets.US_ASCII);
        } catch (NoSuchFileException none) {
            return Answers.NONE;
        }
        try {
            List<Answer> answers = new ArrayList<>();
            for (String line : lines.subList(1, lines.size())) {
                String[] words = line.split(" ", 2);
                PublishedPort.parse(words[1])
                        .forEach(port -> answers.add(new Answer(port, Integer.parseInt(words[0]))));
            }
            return new Answers(Long.parseLong(lines.getFirst()), List.copyOf(answers));
        } catch (RuntimeException e) {
            throw new IOException("no valid answer about ports", e);
        }
    }

    private static String reason(int error) {
        return switch (error) {
            case 13 -> "permission denied";
            case 98 -> "it is in use";
            case 99 -> "this host has no such address";
            default -> "error " + error + " of Linux";
        };
    }
}
