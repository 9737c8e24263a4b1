package dev.cloche.sandbox;

import dev.cloche.base.Operations;
import dev.cloche.catalog.Catalog;
import dev.cloche.image.ImageStore;
import dev.cloche.sandbox.directory.SandboxLocks;
import dev.cloche.sandbox.lifecycle.OwnedSandboxes;
import dev.cloche.sandbox.lifecycle.ReconciledSandboxes;
import dev.cloche.sandbox.lifecycle.SandboxConnections;
import dev.cloche.sandbox.lifecycle.SandboxContext;
import dev.cloche.sandbox.lifecycle.SandboxTerminator;
import dev.cloche.sandbox.reconcile.UnfinishedTerminations;
import dev.cloche.sandbox.record.EventSignal;
import dev.cloche.sandbox.record.SandboxStore;
import dev.cloche.sandbox.record.SnapshotStore;
import dev.cloche.sandbox.record.SweepStore;
import dev.cloche.sandbox.snapshot.SnapshotContext;
import dev.cloche.sandbox.snapshot.SnapshotTaking;
import dev.cloche.sandbox.snapshot.SuspendRequest;
import dev.cloche.sandbox.warm.TemplateMaker;
import dev.cloche.sandbox.warm.VmLauncher;
import dev.cloche.vm.VmProvider;
import java.nio.file.Path;
import java.time.Clock;

/** Puts together the parts of a {@link SandboxManager}. */
record SandboxParts(
        SandboxContext context,
        SandboxTerminator terminator,
        SandboxEvents events,
        OwnedSandboxes owned,
        SweepStore sweeps,
        TemplateStore templates,
        TemplateMaker maker,
        SandboxPools pools,
        SnapshotContext snapshots,
        UnfinishedTerminations unfinished)
        implements AutoCloseable {
    static SandboxParts in(
            Path stateRoot,
            Catalog catalog,
            ImageStore images,
            VmProvider vms,
            Clock clock,
            TemplateMaking making,
            SandboxPools.Settings settings,
            Operations operations) {
        TemplateStore templates = new TemplateStore(stateRoot.resolve("templates"), vms, clock);
        TemplateMaker maker = new TemplateMaker(templates, making);
        SandboxPools pools = new SandboxPools(stateRoot, catalog, images, vms, templates, clock, making, settings);
        VmLauncher launcher = new VmLauncher(vms, templates, maker, pools.starts(), clock);
        EventSignal signal = EventSignal.in(stateRoot);
        SandboxStore store = new SandboxStore(catalog, clock, signal::ring);
        SandboxContext context =
                new SandboxContext(store, SandboxLocks.in(stateRoot, store), images, vms, clock, launcher, operations);
        SandboxTerminator terminator = new SandboxTerminator(context);
        SandboxEvents events = new SandboxEvents(store, signal);
        SnapshotContext snapshots = new SnapshotContext(
                context,
                new SnapshotStore(catalog, clock),
                stateRoot.toAbsolutePath().resolve("sandbox-snapshots"));
        return new SandboxParts(
                context,
                terminator,
                events,
                new OwnedSandboxes(
                        context,
                        terminator,
                        events,
                        (sandbox, renewed, ownVms, deadline) -> new SuspendRequest(
                                        snapshots, new SnapshotTaking(snapshots, ownVms), sandbox, renewed, false)
                                .perform(deadline)),
                new SweepStore(catalog, clock, signal::ring),
                templates,
                maker,
                pools,
                snapshots,
                new UnfinishedTerminations(context, terminator));
    }

    ReconciledSandboxes settled() {
        return new ReconciledSandboxes(context, terminator);
    }

    SandboxConnections connections() {
        return new SandboxConnections(context, terminator);
    }

    @Override
    public void close() {
        unfinished.close();
        maker.close();
        pools.refiller().close();
        owned.close();
    }
}
