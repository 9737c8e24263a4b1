package dev.cloche;

import dev.cloche.base.ClocheException;
import dev.cloche.base.Deadline;
import dev.cloche.base.Operations;
import dev.cloche.catalog.Catalog;
import dev.cloche.catalog.CatalogSchema;
import dev.cloche.catalog.InstallGate;
import dev.cloche.execution.Executions;
import dev.cloche.image.ImageStore;
import dev.cloche.image.ImageStoreOptions;
import dev.cloche.image.LoginSources;
import dev.cloche.image.RegistryLogins;
import dev.cloche.image.RegistryOptions;
import dev.cloche.interpreter.PreparedDriver;
import dev.cloche.linux.NativeCalls;
import dev.cloche.linux.ProcessName;
import dev.cloche.machine.MachineManager;
import dev.cloche.process.SqliteProcessStore;
import dev.cloche.qemu.QemuProvider;
import dev.cloche.qemu.VmLayout;
import dev.cloche.sandbox.SandboxMaintenance;
import dev.cloche.sandbox.SandboxManager;
import dev.cloche.sandbox.SandboxPools;
import dev.cloche.vm.VmProvider;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.List;

/** The rooms of one state root, wired together. */
record Rooms(
        Catalog catalog,
        ImageStore images,
        RegistryLogins logins,
        VmProvider vms,
        SandboxManager sandboxes,
        SandboxMaintenance maintenance,
        ProcessRoom processes,
        MachineManager machines,
        ConfigurationFile configuration)
        implements AutoCloseable {
    /** The tables of every room that has some. */
    static final List<CatalogSchema> SCHEMAS = List.of(
            Catalog.leases(),
            ImageStore.schema(),
            SandboxManager.schema(),
            SandboxManager.snapshotSchema(),
            SqliteProcessStore.schema());

    private static final Duration COUNT_LIMIT = Duration.ofSeconds(10);

    static void prepare() {
        if (!Cloche.isSupported()) {
            return;
        }
        // Two threads, because neither waits for the other, and a start needs the database before the locks.
        Thread.ofPlatform().daemon().name("prepare-records").start(() -> {
            // Elsewhere its library cannot be loaded before the state root is known.
            if (TemporaryDirectory.isThatOfTheJvm(ClocheOptions.ofEnvironment().temporary())) {
                Catalog.prepare();
                ImageStore.prepare();
            }
        });
        NativeCalls.prepareLocks();
    }

    static Rooms open(ClocheOptions options) {
        Path root = StateRoot.ensure(options);
        Installation installation = Installation.of(options);
        installation.usedBy(root, Clock.systemUTC());
        List<Path> share = installation.share();
        // One for all rooms: what it says is read once while it stays as it is.
        ConfigurationFile configuration = new ConfigurationFile(root);
        VmProvider vms = vms(options, installation, root, configuration);
        Catalog catalog = Catalog.open(root, SCHEMAS, installGate());
        Operations operations = Operations.heardBy(options.listener());
        ImageStoreOptions imageOptions = imageOptions(options, share, root, configuration)
                .withRoom(vms::requireDiskRoom)
                .withOperations(operations);
        ImageStore images = ImageStore.open(root.resolve("cache"), catalog, imageOptions);
        RegistryLogins logins = new RegistryLogins(keptLogins(root), imageOptions.registries());
        Clock clock = Clock.systemUTC();
        SandboxManager sandboxes = new SandboxManager(
                root, catalog, images, vms, clock, options.templateMaking(), pools(options, configuration), operations);
        SandboxMaintenance maintenance = sandboxes.maintenance(options.maintenance());
        ProcessRoom processes = new ProcessRoom(catalog, root);
        MachineManager machines = machines(root, images, vms);
        return new Rooms(catalog, images, logins, vms, sandboxes, maintenance, processes, machines, configuration);
    }

    /** Durable commands; opens the registry of processes. */
    Executions executions() {
        return processes.executions(sandboxes);
    }

    /** Counts what the state root takes of its disk after a removal, if that is bounded; the next sweep does so in any case. */
    void countStateDisk() {
        try {
            vms.countStateDisk(Deadline.after(COUNT_LIMIT));
        } catch (ClocheException later) {
            System.getLogger(Rooms.class.getName())
                    .log(System.Logger.Level.DEBUG, "what the state root takes was not counted", later);
        }
    }

    static VmProvider vms(ClocheOptions options, Installation installation, Path root) {
        return vms(options, installation, root, new ConfigurationFile(root));
    }

    private static VmProvider vms(
            ClocheOptions options, Installation installation, Path root, ConfigurationFile configuration) {
        return new QemuProvider(
                layout(options, root),
                installation.resources(),
                () -> configuration.read().isolation(),
                () -> configuration.read().alarmEnds(),
                () -> configuration.read().limits());
    }

    static VmLayout layout(ClocheOptions options, Path root) {
        return options.temporary()
                .map(temporary -> VmLayout.of(root, temporary))
                .orElseGet(() -> VmLayout.of(root));
    }

    static MachineManager machines(Path root, ImageStore images, VmProvider vms) {
        return new MachineManager(root.resolve("machines"), images, vms, Clock.systemUTC());
    }

    static ImageStore images(ClocheOptions options, List<Path> share, Path root, Catalog catalog) {
        return ImageStore.open(
                root.resolve("cache"), catalog, imageOptions(options, share, root, new ConfigurationFile(root)));
    }

    private static ImageStoreOptions imageOptions(
            ClocheOptions options, List<Path> share, Path root, ConfigurationFile configuration) {
        List<Path> layouts = share.stream()
                .map(directory -> directory.resolve("images/base"))
                .filter(Files::isDirectory)
                .toList();
        LoginSources logins = LoginSources.ofDocker().withKept(keptLogins(root)).withGiven(options.logins());
        return ImageStoreOptions.defaults()
                .withBundled(layouts)
                .withRegistries(() ->
                        configuration.read().applied(RegistryOptions.defaults().withLogins(logins)))
                .withKeepBytes(() -> configuration.read().keepImages());
    }

    private static SandboxPools.Settings pools(ClocheOptions options, ConfigurationFile configuration) {
        return new SandboxPools.Settings(
                () -> configuration.read().pools(), options.poolListener(), PreparedDriver::exercise);
    }

    private static Path keptLogins(Path root) {
        return root.resolve("logins.json");
    }

    /** Who holds leases of this catalog are processes of this host. */
    static InstallGate installGate() {
        return InstallGate.of(Clock.systemUTC(), ProcessName::isAlive);
    }

    @Override
    public void close() {
        // A failure of one does not keep the next from being closed: last the catalog, because ends are recorded in it.
        try (catalog;
                vms;
                processes;
                machines) {
            maintenance.close();
            sandboxes.close();
        }
    }
}
