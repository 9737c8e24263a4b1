package dev.cloche.qemu.guard;

import dev.cloche.base.Deadline;
import dev.cloche.linux.FileSignal;
import dev.cloche.linux.PinnedProcess;
import dev.cloche.vm.VmException;
import dev.cloche.vm.VmId;
import dev.cloche.vmm.VmWaits;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.Optional;

/** Describes the limit of a VM's life that its guard is given when it is at work already; see docs/guard.md. */
public record GuardLimit(GuardFiles files, Path directory) {
    private static final String FILE = "limit";
    private static final int SIGUSR1 = 10;

    /** For a guard and a QEMU on a busy host. */
    private static final Duration GO_ON_LIMIT = Duration.ofSeconds(10);

    /**
     * Announces a limit that is no part of an end, for any process. A guest that was halted at the one before goes on before
     * this returns, or soon after on a host that is very busy.
     *
     * @return false if the guard has ended, or the end of the VM was asked for: that has a limit of its own
     * @throws VmException.OlderGuard if the guard may be one that ends by the signal
     */
    public boolean extend(VmId id, Duration longest) {
        if (VmNote.STOP_ASKED.isIn(directory)) {
            return false;
        }
        // Those that publish ports are younger than those that take limits.
        if (!files.publishesPorts()) {
            throw new VmException.OlderGuard(id);
        }
        boolean halted = VmNote.AT_LIMIT.isIn(directory);
        return announce(longest) && (!halted || goesOn());
    }

    private boolean goesOn() {
        Deadline deadline = Deadline.after(GO_ON_LIMIT);
        try (FileSignal changes = FileSignal.listen(directory)) {
            while (VmNote.AT_LIMIT.isIn(directory) && changes.await(deadline)) {
                // Its guard takes the note back.
            }
        } catch (IOException unwatched) {
            // The guard acts all the same.
        } catch (InterruptedException e) {
            throw VmWaits.interrupted("a VM that was halted at its limit");
        }
        return true;
    }

    /**
     * Announces a limit, which stands from when this returns true: the signal is pending, and a guard that lives acts on it.
     *
     * @return false if the guard has ended
     */
    public boolean announce(Duration longest) {
        Optional<PinnedProcess> guard = files.identity().flatMap(PinnedProcess::open);
        if (guard.isEmpty()) {
            return false;
        }
        try (PinnedProcess pinned = guard.get()) {
            Path written = Files.write(
                    directory.resolve(FILE + ".tmp"),
                    Long.toString(longest.toMillis()).getBytes(StandardCharsets.US_ASCII));
            Files.move(written, directory.resolve(FILE), StandardCopyOption.ATOMIC_MOVE);
            return pinned.signal(SIGUSR1);
        } catch (IOException e) {
            throw new VmException.Storage(
                    "The longest duration of a VM cannot be noted in " + directory + ": " + e.getMessage(),
                    "Check the disk of the state root.",
                    e);
        }
    }
}
