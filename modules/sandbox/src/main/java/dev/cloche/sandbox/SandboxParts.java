package dev.cloche.sandbox;

import dev.cloche.catalog.Catalog;
import dev.cloche.image.ImageStore;
import dev.cloche.sandbox.directory.SandboxLocks;
import dev.cloche.sandbox.lifecycle.Connections;
import dev.cloche.sandbox.lifecycle.Foundations;
import dev.cloche.sandbox.lifecycle.Hands;
import dev.cloche.sandbox.lifecycle.SandboxEnds;
import dev.cloche.sandbox.lifecycle.SettledSandboxes;
import dev.cloche.sandbox.reconcile.UnfinishedEnds;
import dev.cloche.sandbox.record.EventBell;
import dev.cloche.sandbox.record.SandboxStore;
import dev.cloche.sandbox.record.SnapshotStore;
import dev.cloche.sandbox.record.SweepStore;
import dev.cloche.sandbox.snapshot.SnapshotGround;
import dev.cloche.sandbox.warm.Beginnings;
import dev.cloche.sandbox.warm.Makers;
import dev.cloche.vm.VmProvider;
import java.nio.file.Path;
import java.time.Clock;

/** What {@link SandboxManager} is put together from. */
record SandboxParts(
        Foundations ground,
        SandboxEnds ends,
        SandboxEvents events,
        Hands hands,
        SweepStore sweeps,
        TemplateStore templates,
        Makers makers,
        Pools pools,
        SnapshotGround snapshots,
        UnfinishedEnds unfinished)
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
        Makers makers = new Makers(templates, making);
        Pools pools = new Pools(stateRoot, catalog, images, vms, templates, clock, making, settings);
        Beginnings beginnings = new Beginnings(vms, templates, makers, pools.starts(), clock);
        EventBell bell = EventBell.in(stateRoot);
        SandboxStore store = new SandboxStore(catalog, clock, bell::ring);
        Foundations ground = new Foundations(store, SandboxLocks.in(stateRoot, store), images, vms, clock, beginnings);
        SandboxEnds ends = new SandboxEnds(ground);
        SandboxEvents events = new SandboxEvents(store, bell);
        return new SandboxParts(
                ground,
                ends,
                events,
                new Hands(ground, ends, events),
                new SweepStore(catalog, clock, bell::ring),
                templates,
                makers,
                pools,
                new SnapshotGround(
                        ground,
                        new SnapshotStore(catalog, clock),
                        stateRoot.toAbsolutePath().resolve("sandbox-snapshots")),
                new UnfinishedEnds(ground, ends));
    }

    SettledSandboxes settled() {
        return new SettledSandboxes(ground, ends);
    }

    Connections connections() {
        return new Connections(ground, ends);
    }

    @Override
    public void close() {
        unfinished.close();
        makers.close();
        pools.keeper().close();
        hands.close();
    }
}
