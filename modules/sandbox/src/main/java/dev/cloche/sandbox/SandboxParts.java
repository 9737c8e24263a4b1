package dev.cloche.sandbox;

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
import dev.cloche.sandbox.warm.TemplateMaker;
import dev.cloche.sandbox.warm.VmLauncher;
import dev.cloche.vm.VmProvider;
import java.nio.file.Path;
import java.time.Clock;

/** Puts together the parts of a {@link SandboxManager}. */
record SandboxParts(
        SandboxContext ground,
        SandboxTerminator ends,
        SandboxEvents events,
        OwnedSandboxes hands,
        SweepStore sweeps,
        TemplateStore templates,
        TemplateMaker makers,
        Pools pools,
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
            Pools.Settings settings) {
        TemplateStore templates = new TemplateStore(stateRoot.resolve("templates"), vms, clock);
        TemplateMaker makers = new TemplateMaker(templates, making);
        Pools pools = new Pools(stateRoot, catalog, images, vms, templates, clock, making, settings);
        VmLauncher beginnings = new VmLauncher(vms, templates, makers, pools.starts(), clock);
        EventSignal bell = EventSignal.in(stateRoot);
        SandboxStore store = new SandboxStore(catalog, clock, bell::ring);
        SandboxContext ground =
                new SandboxContext(store, SandboxLocks.in(stateRoot, store), images, vms, clock, beginnings);
        SandboxTerminator ends = new SandboxTerminator(ground);
        SandboxEvents events = new SandboxEvents(store, bell);
        return new SandboxParts(
                ground,
                ends,
                events,
                new OwnedSandboxes(ground, ends, events),
                new SweepStore(catalog, clock, bell::ring),
                templates,
                makers,
                pools,
                new SnapshotContext(
                        ground,
                        new SnapshotStore(catalog, clock),
                        stateRoot.toAbsolutePath().resolve("sandbox-snapshots")),
                new UnfinishedTerminations(ground, ends));
    }

    ReconciledSandboxes settled() {
        return new ReconciledSandboxes(ground, ends);
    }

    SandboxConnections connections() {
        return new SandboxConnections(ground, ends);
    }

    @Override
    public void close() {
        unfinished.close();
        makers.close();
        pools.keeper().close();
        hands.close();
    }
}
