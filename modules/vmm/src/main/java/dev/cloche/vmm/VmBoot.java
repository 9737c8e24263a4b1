package dev.cloche.vmm;

import dev.cloche.base.ClocheException;
import dev.cloche.base.Deadline;
import dev.cloche.vm.BootPolicy;
import dev.cloche.vm.GuestException;
import dev.cloche.vm.GuestHello;
import dev.cloche.vm.Vm;
import dev.cloche.vm.VmException;
import dev.cloche.vm.VmExit;
import dev.cloche.vm.VmId;
import dev.cloche.vmm.channel.GuestConnection;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BiConsumer;

/** Boots or restores a machine until its guest says hello: the watchdog over each attempt, and the attempts. Used by one thread. */
public final class VmBoot {
    /** What a killed VM has until its end is recorded; takes milliseconds unless the disk hangs. */
    public static final Duration KILL_ALLOWANCE = Duration.ofSeconds(10);

    private static final int LINES_SHOWN = 32;

    /** The agent's last words about a disk without our file system (guest/src/vm/root.c), which no further boot changes. */
    private static final String UNREADABLE_DISK = "cloche: cannot mount /image: ";

    private final VmId id;
    private final VmBackend backend;
    private final BootPolicy policy;
    private final VmHandleState life;
    private final BiConsumer<GuestConnection, Deadline> greeted;

    /** @param greeted what is to be done with the guest before it counts as running */
    VmBoot(
            VmId id,
            VmBackend backend,
            BootPolicy policy,
            VmHandleState life,
            BiConsumer<GuestConnection, Deadline> greeted) {
        this.id = id;
        this.backend = backend;
        this.policy = policy;
        this.life = life;
        this.greeted = greeted;
    }

    /**
     * Returns when the VM runs.
     *
     * @throws VmException.StartFailed if no attempt succeeded, or the handle was closed
     * @throws VmException.LimitReached if the longest duration passed first
     * @throws VmException.Deadline if the deadline passed first
     */
    void run(Deadline deadline) {
        try {
            mended(deadline);
        } catch (VmException e) {
            backend.startFailed();
            life.startFailed();
            throw e;
        }
    }

    /** A VM that does not come up may have been given a damaged kernel; with one that is whole again it is tried once more. */
    private void mended(Deadline deadline) {
        try {
            attempts(deadline);
        } catch (VmException.StartFailed | VmException.MissingResource failed) {
            if (life.closed() || !backend.mend()) {
                throw failed;
            }
            attempts(deadline);
        }
    }

    private void attempts(Deadline deadline) {
        Optional<VmException> last = Optional.empty();
        boolean diskIsUnreadable = false;
        int attempts = 0;
        while (attempts < policy.attempts() && !diskIsUnreadable && !life.closed()) {
            attempts++;
            last = attempt(policy.helloWithin(attempts), deadline);
            if (last.isEmpty()) {
                return;
            }
            if (deadline.passed()) {
                throw new VmException.Deadline("the start of VM " + id);
            }
            diskIsUnreadable = backend.consoleTail().lines().anyMatch(line -> line.startsWith(UNREADABLE_DISK));
        }
        String console = backend.consoleTail();
        String remedy = diskIsUnreadable
                ? "Bring its image here again."
                : backend.advice().orElse("Try again if the host was busy.");
        throw new VmException.StartFailed(
                "VM " + id + " did not come up in " + attempts + (attempts == 1 ? " attempt: " : " attempts: ")
                        + last.map(ClocheException::sentence).orElse("it was closed"),
                remedy + lastLines(console),
                console,
                last.orElse(null));
    }

    /** For people, because the console itself is gone with the VM's directory after a cleanup. */
    private static String lastLines(String console) {
        if (console.isBlank()) {
            return " Its console is empty.";
        }
        List<String> lines = console.lines().toList();
        List<String> last = lines.subList(Math.max(0, lines.size() - LINES_SHOWN), lines.size());
        return " The end of its console:\n" + String.join("\n", last);
    }

    /** One boot; empty if it worked, or why it is worth another. */
    private Optional<VmException> attempt(Duration helloWithin, Deadline deadline) {
        RunningVm booting = backend.boot(deadline);
        GuestConnection connection = GuestConnection.open(id, booting);
        try {
            life.booting(booting);
            // The first of these: the guest's hello, its end, or a broken connection.
            CompletableFuture<Object> first = CompletableFuture.anyOf(connection.ready(), booting.ended());
            Object event =
                    VmWaits.on(first, deadline.orAfter(helloWithin), "the guest's hello", () -> booting.check(id));
            if (event instanceof GuestHello) {
                greeted.accept(connection, deadline);
                life.running(booting, connection);
                return Optional.empty();
            }
            throw new GuestException.ConnectionLost("it ended while it was booting", null);
        } catch (VmException.Deadline | GuestException.ConnectionLost | GuestException.ProtocolBroken e) {
            abort(booting, connection);
            if (reachedItsLimit(booting)) {
                throw new VmException.LimitReached(id, e);
            }
            return Optional.of(e);
        } catch (VmException e) {
            abort(booting, connection);
            throw e;
        }
    }

    private static boolean reachedItsLimit(RunningVm booting) {
        return booting.ended().state() == Future.State.SUCCESS
                && booting.ended().resultNow().cause() == VmExit.Cause.MAX_DURATION;
    }

    private void abort(RunningVm booting, GuestConnection connection) {
        connection.close();
        booting.kill();
        // Waits even when interrupted, for some milliseconds: a next attempt needs the files of this one.
        boolean interrupted = Thread.interrupted();
        try {
            var _ = booting.ended().get(KILL_ALLOWANCE.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            interrupted = true;
        } catch (ExecutionException | TimeoutException e) {
            System.getLogger(Vm.class.getName())
                    .log(System.Logger.Level.DEBUG, "the end of a failed boot of " + id + " is not known", e);
        } finally {
            booting.close();
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
