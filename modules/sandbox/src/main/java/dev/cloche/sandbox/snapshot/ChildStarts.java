package dev.cloche.sandbox.snapshot;

import dev.cloche.base.ClocheException;
import dev.cloche.base.Deadline;
import dev.cloche.base.Uninterrupted;
import dev.cloche.image.PullListener;
import dev.cloche.image.PullPolicy;
import dev.cloche.sandbox.ChildSpec;
import dev.cloche.sandbox.CommandOptions;
import dev.cloche.sandbox.MainCommand;
import dev.cloche.sandbox.SandboxException;
import dev.cloche.sandbox.SandboxSnapshot;
import dev.cloche.sandbox.SandboxSpec;
import dev.cloche.sandbox.Secrets;
import dev.cloche.sandbox.Termination;
import dev.cloche.sandbox.directory.OwnerLock;
import dev.cloche.sandbox.lifecycle.ChildOrigin;
import dev.cloche.sandbox.lifecycle.SandboxStart;
import dev.cloche.sandbox.lifecycle.SandboxTerminator;
import dev.cloche.sandbox.lifecycle.StartPlan;
import dev.cloche.sandbox.record.SnapshotNames;
import dev.cloche.sandbox.record.SnapshotStore;
import dev.cloche.vm.NetworkSpec;
import dev.cloche.vm.SnapshotRef;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Starts sandboxes that begin with a snapshot. */
public record ChildStarts(SnapshotContext snapshots, SandboxTerminator terminator) {
    /** Describes a child that is up, and not handed to a caller yet. */
    public record Child(SandboxStart.Started started, MainCommand main) {}

    public Child start(SandboxSnapshot snapshot, ChildSpec child, Deadline deadline) {
        SnapshotStore.Inheritance inherited =
                snapshots.store().inheritance(snapshot.id()).orElseThrow(() -> gone(snapshot));
        MainCommand main = inherited.main().orElse(new MainCommand(List.of(), CommandOptions.none()));
        SandboxSpec spec = spec(snapshot, inherited, main, child);
        StartPlan plan = StartPlan.of(spec, main.options());
        ChildOrigin origin = new ChildOrigin(
                snapshots.context(),
                snapshot,
                SnapshotNames.holder(snapshot.id(), ""),
                memory(snapshot),
                disk(snapshot),
                child);
        SandboxStart start = new SandboxStart(snapshots.context(), terminator, plan, PullListener.none(), deadline);
        return new Child(start.child(spec, origin), main);
    }

    /** Ends a child that came up where another did not. */
    void drop(Child child, RuntimeException why) {
        SandboxStart.Started up = child.started();
        try (OwnerLock lock = up.lock()) {
            Uninterrupted.run(() -> {
                up.vm().close();
                terminator.record(up.record().id(), Termination.closed());
                terminator.forget(
                        lock, up.record().id(), up.record().name(), up.vm().id());
            });
        } catch (ClocheException resists) {
            why.addSuppressed(resists);
        }
    }

    private Optional<SnapshotRef> memory(SandboxSnapshot snapshot) {
        return switch (snapshot.contents()) {
            case DISK -> Optional.empty();
            case MEMORY ->
                Optional.of(snapshots
                        .context()
                        .vms()
                        .snapshot(SnapshotNames.ofVm(snapshot.id()))
                        .orElseThrow(() -> gone(snapshot)));
        };
    }

    private Path disk(SandboxSnapshot snapshot) {
        String directory = snapshots.store().directory(snapshot.id()).orElseThrow(() -> gone(snapshot));
        return snapshots.directory(directory).disk();
    }

    private static SandboxException gone(SandboxSnapshot snapshot) {
        return new SandboxException.NoSnapshot(snapshot.name().orElse(snapshot.source()));
    }

    private static SandboxSpec spec(
            SandboxSnapshot snapshot, SnapshotStore.Inheritance inherited, MainCommand main, ChildSpec child) {
        return new SandboxSpec(
                child.name(),
                snapshot.image(),
                main.words(),
                PullPolicy.MISSING,
                snapshot.memoryMib(),
                snapshot.cpus(),
                child.ephemeral(),
                snapshot.diskMib(),
                inherited.policies(),
                Map.of(),
                snapshot.network()
                        ? new NetworkSpec.User(child.ports(), inherited.nameServer())
                        : NetworkSpec.none().withPorts(child.ports()),
                child.secrets().orElse(Secrets.none()),
                main.stopSignal(),
                main.whole(),
                main.defaults(),
                main.stays(),
                child.waitForRoom());
    }
}
