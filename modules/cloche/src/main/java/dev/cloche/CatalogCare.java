package dev.cloche;

import dev.cloche.catalog.Catalog;
import dev.cloche.catalog.CatalogException;
import dev.cloche.catalog.CatalogMaintenance;
import dev.cloche.catalog.DueMigration;
import dev.cloche.image.CacheProblem;
import dev.cloche.image.ImagePruneReport;
import dev.cloche.image.ImagePruneRequest;
import dev.cloche.image.ImageReference;
import dev.cloche.linux.DiskUse;
import dev.cloche.linux.ProcessIdentity;
import dev.cloche.linux.ProcessName;
import dev.cloche.machine.MachineManager;
import dev.cloche.process.ProcessPruneRequest;
import dev.cloche.qemu.SnapshotCheck;
import dev.cloche.runtime.RuntimeUnusable;
import dev.cloche.sandbox.Orphan;
import dev.cloche.sandbox.SandboxSnapshots;
import dev.cloche.vm.VmException;
import dev.cloche.vm.VmProvider;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.Predicate;

/**
 * What is done with the records of a state root as a whole, also where they are damaged. Other processes may use them
 * meanwhile.
 *
 * <pre>{@code
 * CatalogCare care = Cloche.catalog(ClocheOptions.ofEnvironment());
 * care.backup(Path.of("/backup/cloche.db"));
 * care.check().forEach(System.out::println);
 * }</pre>
 */
public final class CatalogCare {
    private final ClocheOptions options;

    CatalogCare(ClocheOptions options) {
        this.options = options;
    }

    /**
     * A migration that the catalog does not have yet.
     *
     * @param room which part's records it changes
     * @param version that they have after it
     * @param what it does
     * @param reversible whether all that was recorded before can still be told from what is recorded after it
     * @param touchesUserData whether it changes what people made and no program could make again
     */
    public record Migration(String room, int version, String what, boolean reversible, boolean touchesUserData) {
        static Migration of(DueMigration due) {
            return new Migration(
                    due.room(),
                    due.version(),
                    due.migration().what(),
                    due.migration().reversible(),
                    due.migration().touchesUserData());
        }
    }

    /**
     * Says what a part of the state root takes on its disk.
     *
     * @param bytes blocks, not sizes; a file that is in several parts counts in the first
     * @param files and directories
     */
    public record DiskUsage(Part part, long bytes, long files) {
        /** Names the parts of a state root. */
        public enum Part {
            /** Layers of images, as they were unpacked or loaded. */
            LAYERS,
            /** What else there is of images. */
            IMAGES,
            /** Templates that starts make. */
            TEMPLATES,
            /** Templates that were prepared under a name. */
            PREPARED_TEMPLATES,
            /** Snapshots of sandboxes, and what suspended sandboxes are kept in. */
            SNAPSHOTS,
            /** Machines, with their disks, snapshots and the memory of those. */
            MACHINES,
            /** Sandboxes, with the disks that outlive their VMs. */
            SANDBOXES,
            /** VMs that lie in pools. */
            POOLS,
            /** Other VMs, with the disks that end with them. */
            VMS,
            /** Output of main commands, of durable ones and of guests' consoles. */
            LOGS,
            /** Records, with their copies. */
            CATALOG,
            /** All else, the reserve for a full disk among it. */
            OTHER
        }
    }

    /**
     * Adds up what the state root takes on its disk, by reading all its directories. Works also without records that can be read;
     * then prepared templates count as snapshots. Changes nothing.
     *
     * @return the parts that there are, in the order of their names here
     */
    public List<DiskUsage> diskUsage() {
        Path root = StateRoot.ensure(options);
        Set<String> prepared = preparedTemplates(root);
        List<DiskUsage.Part> parts = List.of(DiskUsage.Part.values());
        return DiskUse.below(root, names -> parts.indexOf(part(root, names, prepared))).entrySet().stream()
                .map(part -> new DiskUsage(
                        parts.get(part.getKey()),
                        part.getValue().bytes(),
                        part.getValue().files()))
                .toList();
    }

    /** Returns what the directories of prepared templates are called: nothing on the disk but the records tells them apart. */
    private Set<String> preparedTemplates(Path root) {
        if (!Files.exists(root.resolve("catalog.db"))) {
            return Set.of();
        }
        try {
            if (!due().isEmpty()) {
                return Set.of();
            }
            try (Catalog catalog = Catalog.open(root, Rooms.SCHEMAS, Rooms.installGate())) {
                return SandboxSnapshots.directoriesOfTemplates(catalog);
            }
        } catch (CatalogException unreadable) {
            return Set.of();
        }
    }

    private static DiskUsage.Part part(Path root, List<String> names, Set<String> prepared) {
        String second = names.size() > 1 ? names.get(1) : "";
        return switch (names.getFirst()) {
            case "cache" ->
                second.equals("layers") || second.equals("blobs") ? DiskUsage.Part.LAYERS : DiskUsage.Part.IMAGES;
            case "snapshots", "sandbox-snapshots" ->
                prepared.contains(second) ? DiskUsage.Part.PREPARED_TEMPLATES : snapshot(names.getFirst(), second);
            case "templates" -> DiskUsage.Part.TEMPLATES;
            case "machines" -> DiskUsage.Part.MACHINES;
            case "sandboxes" -> DiskUsage.Part.SANDBOXES;
            case "vms", "blank" -> vm(root.resolve(names.getFirst()).resolve(second), names.getLast());
            case "executions" -> DiskUsage.Part.LOGS;
            default -> names.getFirst().startsWith("catalog.db") ? DiskUsage.Part.CATALOG : DiskUsage.Part.OTHER;
        };
    }

    private static DiskUsage.Part snapshot(String directory, String name) {
        if (directory.equals("sandbox-snapshots")) {
            return DiskUsage.Part.SNAPSHOTS;
        }
        if (name.startsWith("template-")) {
            return DiskUsage.Part.TEMPLATES;
        }
        return name.startsWith("machine-") ? DiskUsage.Part.MACHINES : DiskUsage.Part.SNAPSHOTS;
    }

    private static DiskUsage.Part vm(Path directory, String file) {
        if (file.contains(".log")) {
            return DiskUsage.Part.LOGS;
        }
        boolean pooled = Files.exists(directory.resolve("pool.json")) && !Files.exists(directory.resolve("claimed"));
        return pooled ? DiskUsage.Part.POOLS : DiskUsage.Part.VMS;
    }

    /**
     * Says what a prune has removed, or would remove.
     *
     * @param names ids of processes, or names of templates or images
     * @param bytes that the disk has more; of images the length of their files, with those that belonged to no image
     */
    public record Pruned(Kind kind, List<String> names, long bytes) {
        /** Names what is pruned, in the order in which it is. */
        public enum Kind {
            /** Records of work that has ended, with the output of commands. */
            PROCESSES,
            /** Templates that starts make, from which nothing runs. */
            TEMPLATES,
            /** Images that nothing uses. */
            IMAGES
        }

        public Pruned {
            names = List.copyOf(names);
        }
    }

    /**
     * Removes what nothing uses and what is made or fetched again when it is needed: does all of {@link Processes#prune}, {@link
     * Templates#prune} and {@link Images#prune}. Snapshots, prepared templates, machines, pools and sandboxes stay, also sandboxes
     * that have ended, and what they use.
     *
     * @param unusedFor only what was not used for so long; zero for all
     * @return what it was, of each kind
     */
    public List<Pruned> prune(Duration unusedFor) {
        try (Rooms rooms = Rooms.open(options)) {
            Path outputs = rooms.processes().outputs();
            Map<String, Long> written = sizes(outputs);
            List<String> processes = rooms.processes().registry().prune(ProcessPruneRequest.unusedFor(unusedFor));
            rooms.executions().sweep();
            long freed = sum(written, id -> Files.notExists(outputs.resolve(id)));
            Map<String, Long> snapshots = sizes(snapshots());
            List<String> templates = rooms.sandboxes().templates().prune(unusedFor);
            ImagePruneReport images = rooms.images().prune(imagesOf(unusedFor));
            rooms.countStateDisk();
            return List.of(
                    new Pruned(Pruned.Kind.PROCESSES, processes, freed),
                    new Pruned(Pruned.Kind.TEMPLATES, templates, sum(snapshots, templates::contains)),
                    images(images));
        }
    }

    /** Returns what {@link #prune} would remove now; removes nothing. */
    public List<Pruned> prunePlan(Duration unusedFor) {
        try (Rooms rooms = Rooms.open(options)) {
            List<String> processes = rooms.processes().registry().prunePlan(ProcessPruneRequest.unusedFor(unusedFor));
            // Of processes that were pruned before, by a prune that was killed.
            Set<String> outputs = new HashSet<>(new OrphanCare(rooms).outputs());
            outputs.addAll(processes);
            List<String> templates = rooms.sandboxes().templates().prunePlan(unusedFor);
            return List.of(
                    new Pruned(
                            Pruned.Kind.PROCESSES,
                            processes,
                            sum(sizes(rooms.processes().outputs()), outputs::contains)),
                    new Pruned(Pruned.Kind.TEMPLATES, templates, sum(sizes(snapshots()), templates::contains)),
                    images(rooms.images().prunePlan(imagesOf(unusedFor))));
        }
    }

    private Path snapshots() {
        return StateRoot.ensure(options).resolve("snapshots");
    }

    private static ImagePruneRequest imagesOf(Duration unusedFor) {
        return new ImagePruneRequest(unusedFor, OptionalLong.empty());
    }

    private static Pruned images(ImagePruneReport report) {
        return new Pruned(
                Pruned.Kind.IMAGES,
                report.references().stream().map(ImageReference::toString).toList(),
                report.bytes());
    }

    /** Returns what each of a directory's entries takes of the disk. */
    private static Map<String, Long> sizes(Path directory) {
        List<String> names = new ArrayList<>();
        Map<String, Integer> kinds = new HashMap<>();
        Map<String, Long> sizes = new HashMap<>();
        if (Files.isDirectory(directory)) {
            DiskUse.below(
                            directory,
                            path -> kinds.computeIfAbsent(path.getFirst(), name -> {
                                names.add(name);
                                return names.size() - 1;
                            }))
                    .forEach((kind, sum) -> sizes.put(names.get(kind), sum.bytes()));
        }
        return sizes;
    }

    private static long sum(Map<String, Long> sizes, Predicate<String> chosen) {
        return sizes.entrySet().stream()
                .filter(each -> chosen.test(each.getKey()))
                .mapToLong(Map.Entry::getValue)
                .sum();
    }

    /**
     * Reads everything: the records' integrity, what they say of each other, every file of the image cache against its
     * record, the memory of every snapshot against its manifest, and what is kept for machines against their directories.
     * Changes nothing; takes as long as reading these files does.
     *
     * @return a sentence for each thing that is wrong; empty if all is sound
     * @throws dev.cloche.base.ClocheException if there are no records, or they cannot be read at all
     */
    public List<String> check() {
        Path root = StateRoot.ensure(options);
        List<String> problems = new ArrayList<>(CatalogMaintenance.problems(root));
        if (!problems.isEmpty()) {
            return List.copyOf(problems);
        }
        if (!due().isEmpty()) {
            return List.of("Files were not compared with their records, because migrations are due.");
        }
        try (Catalog catalog = Catalog.open(root, Rooms.SCHEMAS, Rooms.installGate())) {
            Rooms.images(options, Installation.named(options), root, catalog).check().stream()
                    .map(CacheProblem::what)
                    .forEach(problems::add);
            problems.addAll(machineOrphans(root, catalog));
        }
        problems.addAll(SnapshotCheck.problems(root));
        CatalogMaintenance.copyOfLost(root)
                .ifPresent(copy -> problems.add("The copy " + copy
                        + " is of other records, which were lost: Cloche.catalog(options).restoreLatest() puts it in the place of"
                        + " these; remove it if you do not want it, and new copies are made."));
        orphans().stream().map(Orphan::what).forEach(problems::add);
        return List.copyOf(problems);
    }

    /** Describes what is kept for machines whose directories are gone, but for machines that a process is making now. */
    private List<String> machineOrphans(Path root, Catalog catalog) {
        try (VmProvider vms = Rooms.vms(options, Installation.of(options), root);
                MachineManager machines =
                        Rooms.machines(root, Rooms.images(options, Installation.named(options), root, catalog), vms)) {
            return machines.orphans().stream()
                    .map(orphan -> orphan.what() + " Remove it with: cloche.maintain()")
                    .toList();
        } catch (VmException.MissingResource | HostException.NoRuntime | RuntimeUnusable incomplete) {
            return List.of("What is kept for machines was not compared with their directories: " + incomplete.sentence()
                    + ".");
        }
    }

    /**
     * Writes a copy of the records as of one moment; it is on the disk when this returns.
     *
     * @param target a file that does not exist yet
     * @throws dev.cloche.base.ClocheException if there is such a file, no records, or no space
     */
    public void backup(Path target) {
        CatalogMaintenance.backup(StateRoot.ensure(options), target.toAbsolutePath());
    }

    /**
     * Finds what no record has: VMs, sockets, directories of sandboxes and snapshots, output of commands, and what images are
     * kept for. Changes nothing.
     */
    public List<Orphan> orphans() {
        try (Rooms rooms = Rooms.open(options)) {
            return new OrphanCare(rooms).find();
        }
    }

    /**
     * Ends and removes what {@link #orphans} finds, with disks and all: what a restored copy of the records may still know is
     * better restored first. A VM that a living process owns is left alone.
     *
     * @return what is still there
     */
    public List<Orphan> removeOrphans() {
        try (Rooms rooms = Rooms.open(options)) {
            return new OrphanCare(rooms).remove();
        }
    }

    /**
     * Puts a copy in the place of the records, which may be lost or damaged; they are kept beside it as {@code
     * catalog.db.replaced}. No process may have the state root open; VMs may go on, and those that the copy knows are found
     * again.
     *
     * @param copy a file that {@link #backup} wrote
     * @return the copy that was taken
     * @throws dev.cloche.base.ClocheException if it is missing or damaged, or the records are in use; nothing was changed
     */
    public Path restore(Path copy) {
        return restore(Optional.of(copy.toAbsolutePath()));
    }

    /**
     * Puts the copy that Cloche made by itself, at most a day ago, in the place of the records; otherwise does what {@link
     * #restore(Path)} does.
     *
     * @return the copy that was taken
     * @throws dev.cloche.base.ClocheException if there is none, it is damaged, or the records are in use; nothing was changed
     */
    public Path restoreLatest() {
        return restore(Optional.empty());
    }

    private Path restore(Optional<Path> copy) {
        return CatalogMaintenance.restore(StateRoot.ensure(options), copy, Rooms.SCHEMAS);
    }

    /**
     * Returns the migrations that the next opening would run, in their order. Changes nothing.
     *
     * @throws dev.cloche.base.ClocheException if a newer Cloche has written the records
     */
    public List<Migration> due() {
        return CatalogMaintenance.due(StateRoot.ensure(options), Rooms.SCHEMAS).stream()
                .map(Migration::of)
                .toList();
    }

    /**
     * Runs what is due, and tells what it was. Any opening does so too; this also keeps all other processes from opening the
     * records, and from starting sandboxes, meanwhile.
     *
     * @throws dev.cloche.base.ClocheException if another command is changing the installation
     */
    public List<Migration> migrate() {
        String me = ProcessName.of(ProcessIdentity.current());
        return CatalogMaintenance.migrate(StateRoot.ensure(options), Rooms.SCHEMAS, me, Rooms.installGate()).stream()
                .map(Migration::of)
                .toList();
    }
}
