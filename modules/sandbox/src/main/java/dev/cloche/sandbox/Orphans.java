package dev.cloche.sandbox;

import dev.cloche.base.ClocheException;
import dev.cloche.image.ImageHolder;
import dev.cloche.sandbox.directory.OrphanDirectories;
import dev.cloche.sandbox.lifecycle.SandboxContext;
import dev.cloche.sandbox.lifecycle.SandboxRemoval;
import dev.cloche.sandbox.record.SweepStore;
import dev.cloche.sandbox.snapshot.SnapshotSweep;
import dev.cloche.vm.VmId;
import dev.cloche.vm.VmInfo;
import dev.cloche.vm.VmSpec;
import dev.cloche.vm.VmState;
import dev.cloche.vm.WritableLayer;
import java.lang.System.Logger.Level;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * Finds orphans, which no record has: what a lost, emptied or restored catalog leaves. Nothing of it is removed unless
 * a caller asks for that, because VMs may do work and disks have what people wrote.
 *
 * <p>What exists is listed first, and the records are read after that. What is recorded has its record before anything
 * of it exists, so nothing is taken for an orphan that is just being made. Safe for use from several threads and
 * processes.
 */
public final class Orphans {
    private final SandboxContext context;
    private final SweepStore rows;
    private final OrphanDirectories sandboxes;
    private final OrphanDirectories snapshots;
    private final Supplier<Set<VmId>> elsewhere;

    /** @param elsewhere the VMs that others have recorded */
    Orphans(SandboxParts parts, Duration youth, Supplier<Set<VmId>> elsewhere) {
        context = parts.context();
        rows = parts.sweeps();
        sandboxes = new OrphanDirectories(context.locks().sandboxes(), rows::directories, youth);
        snapshots = new SnapshotSweep(parts.snapshots()).orphans(youth);
        this.elsewhere = elsewhere;
    }

    /** Returns all there are, VMs first. */
    public List<Orphan> find() {
        List<Orphan> found = new ArrayList<>(vms());
        context.vms().straySockets().forEach(path -> found.add(Orphan.of(Orphan.Kind.SOCKET, path.toString())));
        found.addAll(directories(sandboxes, Orphan.Kind.SANDBOX_DIRECTORY));
        found.addAll(directories(snapshots, Orphan.Kind.SNAPSHOT_DIRECTORY));
        pins().forEach(holder -> found.add(Orphan.of(Orphan.Kind.IMAGE_PIN, named(holder))));
        return List.copyOf(found);
    }

    /** Returns the VMs among them, by id. Costs one query, and no more, where there are none. */
    public List<Orphan> vms() {
        List<VmInfo> all = context.vms().list();
        Set<String> recorded = all.isEmpty() ? Set.of() : rows.vms();
        List<VmInfo> unknown = all.stream()
                .filter(vm -> !recorded.contains(vm.id().value()))
                .filter(this::isNeitherPooledNorMade)
                .toList();
        Set<VmId> others = unknown.isEmpty() ? Set.of() : elsewhere.get();
        return unknown.stream()
                .filter(vm -> !others.contains(vm.id()))
                // It may have gone together with its record.
                .flatMap(vm -> context.vms().get(vm.id()).stream())
                .map(this::orphan)
                .toList();
    }

    private Orphan orphan(VmInfo vm) {
        return new Orphan(
                Orphan.Kind.VM,
                vm.id().value(),
                vm.state().live(),
                context.vms().isOwned(vm.id()));
    }

    /** Entries of pools say what they are themselves, and so do makers of templates, which others end. */
    private boolean isNeitherPooledNorMade(VmInfo vm) {
        if (context.vms().isPooled(vm.id())) {
            return false;
        }
        Optional<VmSpec> spec = context.vms().spec(vm.id());
        if (spec.isEmpty()) {
            return vm.state() != VmState.CREATED;
        }
        return !spec.get().templateMaker() && !hasForeignDisk(spec.get());
    }

    /** A machine whose file is broken may not say what VM it has, but that VM has its disk. */
    private boolean hasForeignDisk(VmSpec spec) {
        return spec.writable() instanceof WritableLayer.Persistent(Path disk)
                && !disk.startsWith(context.locks().sandboxes())
                && Files.isDirectory(disk);
    }

    private List<Orphan> directories(OrphanDirectories directories, Orphan.Kind kind) {
        return directories.find(context.clock().instant()).stream()
                .map(name -> Orphan.of(kind, directories.path(name).toString()))
                .toList();
    }

    /** Those of machines are not looked at: a machine's image is brought here before the machine is. */
    private List<ImageHolder> pins() {
        List<ImageHolder> found = new ArrayList<>();
        for (PinKind kind : PinKind.values()) {
            List<ImageHolder> holders = context.images().holders(kind.word);
            if (!holders.isEmpty()) {
                Set<String> known = rows.ids(kind.table);
                holders.stream().filter(holder -> !known.contains(holder.id())).forEach(found::add);
            }
        }
        return found;
    }

    private enum PinKind {
        SANDBOX("sandbox", "sandbox"),
        SNAPSHOT("snapshot", "sandbox_snapshot"),
        POOL("pool", "pool");

        private final String word;
        private final String table;

        PinKind(String word, String table) {
            this.word = word;
            this.table = table;
        }
    }

    private static String named(ImageHolder holder) {
        return holder + " (" + holder.id() + ")";
    }

    /**
     * Ends and removes what {@link #find} finds now, but for VMs that a living process owns.
     *
     * @return what is still there
     */
    public List<Orphan> remove() {
        return Stream.concat(
                        find().stream().filter(orphan -> !removed(orphan)),
                        pins().stream()
                                .filter(holder -> !released(holder))
                                .map(holder -> Orphan.of(Orphan.Kind.IMAGE_PIN, named(holder))))
                .toList();
    }

    private boolean removed(Orphan orphan) {
        try {
            return switch (orphan.kind()) {
                case VM -> !orphan.inUse() && ended(new VmId(orphan.name()));
                case SOCKET -> {
                    context.vms().removeStraySockets();
                    yield true;
                }
                case SANDBOX_DIRECTORY -> sandboxes.remove(name(orphan));
                case SNAPSHOT_DIRECTORY -> snapshots.remove(name(orphan));
                // Holds on images go all at once, and no room but that of executions finds output.
                case IMAGE_PIN, EXECUTION -> true;
            };
        } catch (ClocheException resists) {
            resisted(orphan.what(), resists);
            return false;
        }
    }

    private static String name(Orphan directory) {
        return Path.of(directory.name()).getFileName().toString();
    }

    private boolean ended(VmId id) {
        new SandboxRemoval(context).destroy(id);
        return true;
    }

    private boolean released(ImageHolder holder) {
        try {
            context.images().release(holder);
            return true;
        } catch (ClocheException resists) {
            resisted(named(holder), resists);
            return false;
        }
    }

    private static void resisted(String what, ClocheException why) {
        System.getLogger(Orphans.class.getName()).log(Level.WARNING, "an orphan resists: " + what, why);
    }
}
