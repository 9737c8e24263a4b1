package dev.cloche.sandbox.lifecycle;

import dev.cloche.base.Deadline;
import dev.cloche.base.Uninterrupted;
import dev.cloche.image.ImageDisk;
import dev.cloche.image.ImageHolder;
import dev.cloche.image.ImageReference;
import dev.cloche.image.PullListener;
import dev.cloche.sandbox.ChildSpec;
import dev.cloche.sandbox.SandboxException;
import dev.cloche.sandbox.SandboxSnapshot;
import dev.cloche.sandbox.Secrets;
import dev.cloche.sandbox.StartKind;
import dev.cloche.sandbox.warm.Stopwatch;
import dev.cloche.sandbox.warm.VmLauncher;
import dev.cloche.vm.GuestIdentity;
import dev.cloche.vm.NetworkSpec;
import dev.cloche.vm.PersistentDisk;
import dev.cloche.vm.SnapshotRef;
import dev.cloche.vm.Vm;
import dev.cloche.vm.VmId;
import dev.cloche.vm.VmProvider;
import dev.cloche.vm.VmSpec;
import dev.cloche.vm.WritableLayer;
import java.nio.file.Path;
import java.util.Optional;

/**
 * Says what a child begins with.
 *
 * @param holder what keeps the image of the snapshot
 * @param memory the snapshot of the VM; empty if there is a disk only, and the child boots
 * @param disk the snapshot's own disk, if it boots
 */
public record ChildOrigin(
        SandboxContext context,
        SandboxSnapshot snapshot,
        ImageHolder holder,
        Optional<SnapshotRef> memory,
        Path disk,
        ChildSpec child) {
    boolean boots() {
        return memory.isEmpty();
    }

    boolean detached() {
        return child.detached();
    }

    /** What its original's main command writes on is logged as that of any detached one. */
    boolean logged() {
        return child.detached()
                && child.keepsRunning()
                && memory.filter(SnapshotRef::outputLog).isPresent();
    }

    /** Holds the image for the child too. */
    ImageDisk image(ImageHolder own, ImageReference reference, PullListener listener, Deadline deadline) {
        if (!context.images().share(holder, own)) {
            throw new SandboxException.NoSnapshot(snapshot.name().orElse(snapshot.source()));
        }
        return context.images()
                .acquireHeld(reference, own, listener, deadline)
                .orElseThrow(
                        () -> new SandboxException.NoSnapshot(snapshot.name().orElse(snapshot.source())));
    }

    /** Gives the child a disk of its own in this directory, where it needs one that lasts longer than its VM. */
    void copyDisk(Path own) {
        if (memory.isEmpty()) {
            context.vms().disks().copy(disk, own);
            return;
        }
        WritableLayer layer = memory.get().writable();
        boolean lasting = layer instanceof WritableLayer.Persistent
                || (layer instanceof WritableLayer.Disk && !child.ephemeral());
        if (lasting) {
            context.vms().disks().create(own, memory.get());
        }
    }

    VmSpec vm(VmId id, Path own, NetworkSpec network) {
        VmSpec restored = VmSpec.restored(id, memory.orElseThrow()).withNetwork(network);
        return context.vms()
                .disks()
                .find(own)
                .map(PersistentDisk::layer)
                .map(restored::withWritable)
                .orElse(restored);
    }

    /**
     * Returns the secrets of a child that a VM of a pool can be: all is left running in it, and nothing of its original's to be
     * removed. Empty for any other child.
     */
    Optional<Secrets> pooledSecrets() {
        return snapshot.prepared() && memory.isPresent() && child.keepsRunning() ? child.secrets() : Optional.empty();
    }

    /** Continues the guest, with an identity of its own. */
    VmLauncher.Launched begin(VmSpec spec, String hostname, Deadline deadline) {
        Stopwatch watch = Stopwatch.start();
        VmProvider vms = context.vms();
        Vm vm = vms.create(spec);
        try {
            vm.start(() -> identity(hostname), deadline);
            return new VmLauncher.Launched(vm, StartKind.RESTORED, watch.elapsed(), Optional.empty());
        } catch (Throwable failure) {
            Uninterrupted.after(failure, vm::close);
            throw failure;
        }
    }

    private GuestIdentity identity(String hostname) {
        GuestIdentity fresh = GuestIdentity.fresh(hostname, context.clock());
        GuestIdentity alone = child.keepsRunning() ? fresh : fresh.withExecutionsEnded();
        return child.secrets()
                .map(own -> own.addedTo(alone.withEarlierSecretsRemoved()))
                .orElse(alone);
    }
}
