package dev.cloche.sandbox;

import dev.cloche.base.Deadline;
import dev.cloche.image.ImageConfig;
import dev.cloche.image.ImageDisk;
import dev.cloche.image.ImageReference;
import dev.cloche.image.PullListener;
import dev.cloche.linux.ProcessIdentity;
import dev.cloche.vm.ExecRequest;
import dev.cloche.vm.GuestExecution;
import dev.cloche.vm.Vm;
import dev.cloche.vm.VmDeadlineException;
import dev.cloche.vm.VmException;
import dev.cloche.vm.VmId;
import dev.cloche.vm.VmSpec;
import java.time.Duration;
import java.util.Optional;

/** One start, from the record to a guest that answers. Whatever fails, nothing of it stays. */
final class SandboxStart {
    /** Kept of what a detached main command writes; the oldest goes first. */
    private static final long LOG_BYTES = Templates.LOG_BYTES;

    /** From the guard's refusal to take orders to its last word on a VM that has ended; takes milliseconds. */
    private static final Duration END_LIMIT = Duration.ofSeconds(2);

    private final Foundations ground;
    private final SandboxEnds ends;
    private final SandboxSpec spec;
    private final PullListener listener;
    private final Deadline deadline;
    private final ImageReference reference;
    private final String name;
    private final VmId vmId = VmId.random();
    private final long begin = System.nanoTime();

    /** @throws dev.cloche.image.ImageException if the specification's image is not a reference */
    SandboxStart(Foundations ground, SandboxEnds ends, SandboxSpec spec, PullListener listener, Deadline deadline) {
        this.ground = ground;
        this.ends = ends;
        this.spec = spec;
        this.listener = listener;
        this.deadline = deadline;
        this.reference = ImageReference.parse(spec.image());
        this.name = spec.name().orElseGet(SandboxName::generated);
    }

    /** What has come up. */
    record Started(SandboxRecord record, Vm vm, ImageConfig config, StartTimings timings) {}

    /** Starts a sandbox that ends with this process. */
    Started attached() {
        return perform(Optional.empty());
    }

    /** Starts a sandbox that outlives this process and ends with its main command. */
    SandboxRecord detached(CommandOptions main) {
        Started started = perform(Optional.of(main));
        started.vm().close();
        return started.record();
    }

    private Started perform(Optional<CommandOptions> detachedMain) {
        long id = insert(detachedMain.isPresent());
        try {
            ImageDisk disk = ground.images()
                    .acquire(reference, spec.pullPolicy(), Foundations.holder(id, name), listener, deadline);
            Duration image = since(begin);
            Optional<ExecRequest> main = detachedMain.map(options ->
                    CommandLine.mainRequest(spec, disk.config(), options).asMain());
            return boot(id, disk, main, image);
        } catch (Throwable failure) {
            afterwards(failure, () -> forget(id));
            throw failure;
        }
    }

    private Started boot(long id, ImageDisk disk, Optional<ExecRequest> main, Duration image) {
        Beginnings.Begun begun =
                ground.beginnings().begin(vmSpec(disk, main.isPresent()), spec.image(), name, deadline);
        Vm vm = begun.vm();
        try {
            // The record is written, and the command sent, while the guest is at it.
            SandboxRecord record = running(id);
            Optional<GuestExecution> command = main.map(request -> vm.guest().exec(request, deadline));
            begun.await();
            command.ifPresent(started -> handOver(vm, started));
            return new Started(record, vm, disk.config(), begun.timings(since(begin), image));
        } catch (Throwable failure) {
            afterwards(failure, vm::close);
            throw failure;
        }
    }

    private SandboxRecord running(long id) {
        boolean moved = ground.store().move(id, SandboxStatus.STARTING, SandboxStatus.RUNNING);
        SandboxRecord record = ground.store().byId(id).orElseThrow(() -> new SandboxException.NotFound(name));
        if (!moved) {
            // Somebody who could not see this process took it for dead.
            throw new SandboxException.NotRunning(name, record.status());
        }
        return record;
    }

    /** The VM is let go only when the command runs: without one, nothing would ever end it. */
    private void handOver(Vm vm, GuestExecution main) {
        main.close();
        try {
            vm.detach();
        } catch (VmException refused) {
            // A short command may have ended, and its VM with it.
            if (!hasEnded(vm)) {
                throw refused;
            }
        }
    }

    private static boolean hasEnded(Vm vm) {
        try {
            return vm.awaitExit(Deadline.after(END_LIMIT)).mainExit().isPresent();
        } catch (VmDeadlineException alive) {
            return false;
        }
    }

    private long insert(boolean detached) {
        SandboxStore.NewSandbox row = new SandboxStore.NewSandbox(
                name, spec, String.join(" ", spec.command()), vmId, detached, ProcessIdentity.current());
        Optional<Long> id = ground.store().insertStarting(row);
        if (id.isEmpty()) {
            // The holder of the name may be an ephemeral sandbox that has ended and nobody has looked at since.
            Optional<SandboxRecord> other = ground.store().byName(name).flatMap(ends::settled);
            if (other.isPresent()) {
                throw new SandboxException.NameInUse(name, other.get().status());
            }
            id = ground.store().insertStarting(row);
        }
        return id.orElseThrow(() -> new SandboxException.NameInUse(name, SandboxStatus.STARTING));
    }

    private VmSpec vmSpec(ImageDisk disk, boolean logged) {
        VmSpec plain = TemplateRequest.vm(vmId, disk, spec);
        VmSpec limited = spec.maxDuration().map(plain::withMaxDuration).orElse(plain);
        // Whoever started an attached command reads it.
        return logged ? limited.withOutputLogBytes(LOG_BYTES) : limited;
    }

    /** Not only while the row is there: what was made after somebody removed the row is known to nobody else. */
    private void forget(long id) {
        ends.record(id, Ending.vanished());
        ends.discard(id, name, Optional.of(vmId));
    }

    private static void afterwards(Throwable failure, Runnable work) {
        try {
            Uninterrupted.run(work);
        } catch (RuntimeException second) {
            failure.addSuppressed(second);
        }
    }

    private static Duration since(long begin) {
        return Duration.ofNanos(System.nanoTime() - begin);
    }
}
