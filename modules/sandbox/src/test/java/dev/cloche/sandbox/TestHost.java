package dev.cloche.sandbox;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cloche.base.Deadline;
import dev.cloche.base.OperationListener;
import dev.cloche.base.Operations;
import dev.cloche.catalog.Catalog;
import dev.cloche.catalog.CatalogSchema;
import dev.cloche.image.ImageReference;
import dev.cloche.image.ImageStore;
import dev.cloche.image.ImageStoreOptions;
import dev.cloche.image.PullListener;
import dev.cloche.image.PullPolicy;
import dev.cloche.image.TestImage;
import dev.cloche.linux.ProcessIdentity;
import dev.cloche.pool.DepthPolicy;
import dev.cloche.pool.PoolConfig;
import dev.cloche.pool.PoolListener;
import dev.cloche.sandbox.directory.OwnerLock;
import dev.cloche.sandbox.directory.SandboxDirectory;
import dev.cloche.sandbox.directory.SandboxLocks;
import dev.cloche.sandbox.lifecycle.SandboxContext;
import dev.cloche.sandbox.record.SandboxStore;
import dev.cloche.vm.Guest;
import dev.cloche.vm.GuestExecution;
import dev.cloche.vm.RootDisk;
import dev.cloche.vm.Vm;
import dev.cloche.vm.VmId;
import dev.cloche.vm.VmSpec;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;

/**
 * A state root with two bundled images, in-memory VMs, and any number of runtimes that share both. Image {@code bare}
 * says nothing of a command; {@code tool} says all that an image can.
 */
final class TestHost implements AutoCloseable {
    /** A process of an earlier boot of some host. */
    static final ProcessIdentity DEAD = new ProcessIdentity(1, 1, "an earlier boot");

    /** For those that stop a sandbox whose commands do as they are asked. */
    static final Duration GRACE = Duration.ofSeconds(5);

    private static final List<CatalogSchema> SCHEMAS =
            List.of(Catalog.leases(), ImageStore.schema(), SandboxManager.schema(), SandboxManager.snapshotSchema());
    private static final Operations UNHEARD = Operations.heardBy(OperationListener.none());
    private static final AtomicReference<byte[]> MIGRATED = new AtomicReference<>(new byte[0]);

    final ScriptedVms vms = new ScriptedVms();
    final Opened here;
    private final Path root;
    private final List<Path> layouts;
    /** What new VMs do whose templates have drivers of interpreters, by the first word of that step. */
    final Map<String, Consumer<Guest>> interpreters = new ConcurrentHashMap<>();

    /** What one process has of the state root. */
    record Opened(Catalog catalog, ImageStore images, SandboxManager sandboxes, SandboxStore store)
            implements AutoCloseable {
        @Override
        public void close() {
            try (catalog) {
                sandboxes.close();
            }
        }
    }

    TestHost(Path root) {
        this.root = root;
        prepareCatalog();
        layouts = List.of(
                layout("bare", ""),
                layout(
                        "tool",
                        "\"Entrypoint\":[\"echo\",\"tool\"],\"Cmd\":[\"default\"],\"User\":\"root\","
                                + "\"WorkingDir\":\"/work\",\"Env\":[\"PATH=/opt\",\"COLOUR=red\",\"nonsense\"]"));
        here = runtime();
    }

    /** Migrated once, which takes longer than most tests. */
    private void prepareCatalog() {
        try {
            Files.createDirectory(state());
            Path file = state().resolve("catalog.db");
            byte[] known = MIGRATED.get();
            if (known.length > 0) {
                Files.write(file, known);
            } else {
                Catalog.open(state(), SCHEMAS).close();
                MIGRATED.set(Files.readAllBytes(file));
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private Path state() {
        return root.resolve("state");
    }

    private Path layout(String name, String config) {
        try {
            return new TestImage()
                    .layer(TestImage.Compression.NONE, Map.of("etc/name", name))
                    .config(config)
                    .writeLayout(root.resolve("layout-" + name), name);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Another runtime on the same state root. */
    Opened runtime() {
        return runtime(new TemplateMaking.Never());
    }

    /** The same, which has templates made and pools filled. */
    Opened runtime(TemplateMaking making) {
        Catalog catalog = Catalog.open(state(), SCHEMAS);
        ImageStore images = ImageStore.open(
                root.resolve("cache"), catalog, ImageStoreOptions.defaults().withBundled(layouts));
        Clock clock = Clock.systemUTC();
        return new Opened(
                catalog,
                images,
                new SandboxManager(state(), catalog, images, vms, clock, making, settings(), UNHEARD),
                new SandboxStore(catalog, clock, () -> {}));
    }

    private SandboxPools.Settings settings() {
        return new SandboxPools.Settings(
                PoolConfig.DEFAULT::budget,
                PoolListener.none(),
                words -> Optional.ofNullable(interpreters.get(words.getFirst())));
    }

    /** The parts of one that has the same catalog. */
    SandboxParts parts() {
        return SandboxParts.in(
                state(),
                here.catalog(),
                here.images(),
                vms,
                Clock.systemUTC(),
                new TemplateMaking.Never(),
                settings(),
                UNHEARD);
    }

    static Deadline soon() {
        return Deadline.after(Duration.ofMinutes(5));
    }

    /** Sets a deadline that passes at once, anew where it had passed before it was looked at. */
    static void expire(SandboxManager sandboxes, long id) {
        Awaitility.await()
                .ignoreException(SandboxException.InvalidSpecification.class)
                .until(() ->
                        sandboxes.deadline(id, Instant.now().plusMillis(300)).isAfter(Instant.EPOCH));
    }

    static PoolStatus.Policy pool(int depth, Duration maxAge) {
        return PoolStatus.Policy.of(DepthPolicy.of(depth)).withMaxAge(maxAge);
    }

    static SandboxSpec spec(Optional<String> name, String image, String... command) {
        SandboxSpec spec = SandboxSpec.of(image).withCommand(List.of(command)).withMemoryMib(256);
        return name.map(spec::withName).orElse(spec);
    }

    static SandboxSpec named(String name, String... command) {
        return spec(Optional.of(name), "bare", command);
    }

    /** A named sandbox that goes away when it ends. */
    static SandboxSpec ephemeral(String name, String... command) {
        return named(name, command).withEphemeral(true);
    }

    RunningSandbox start(SandboxSpec spec) {
        return here.sandboxes().start(spec, PullListener.none(), soon());
    }

    SandboxRecord startDetached(SandboxSpec spec) {
        return here.sandboxes().startDetached(spec, CommandOptions.none(), PullListener.none(), soon());
    }

    SandboxRecord create(SandboxSpec spec) {
        return here.sandboxes().create(spec, CommandOptions.none(), PullListener.none(), soon());
    }

    /** One that was created, or has ended. */
    SandboxRecord startAgain(String name) {
        return here.sandboxes().start(name, PullListener.none(), soon());
    }

    static GuestExecution exec(RunningSandbox sandbox, String... words) {
        return sandbox.exec(List.of(words), CommandOptions.none(), soon());
    }

    /** What a command prints. */
    static String output(GuestExecution execution) throws IOException {
        try (execution) {
            return new String(execution.stdout().readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    /** The row as it stands, held against nothing. */
    Optional<SandboxRecord> row(String name) {
        return here.store().byName(name);
    }

    /** Of its row. */
    long id(String name) {
        return row(name).orElseThrow().id();
    }

    /** Waits until it is known that it has ended. */
    void awaitEnd(String name) {
        Awaitility.await().until(() -> here.sandboxes().get(name).status().terminal());
    }

    /** Changes rows without any process being told. */
    void sql(String statement) {
        here.catalog().write(transaction -> transaction.update(statement));
    }

    Termination termination(String name) {
        return row(name)
                .flatMap(SandboxRecord::latestRun)
                .flatMap(RunRecord::termination)
                .orElseThrow();
    }

    VmId vm(String name) {
        return row(name).flatMap(SandboxRecord::latestRun).map(RunRecord::vm).orElseThrow();
    }

    /** Records a sandbox that a dead process was starting, with its image pinned; nothing of its VM is made. */
    VmId abandonedStart(SandboxSpec spec, boolean detached) {
        VmId vm = VmId.random();
        begin(vm, spec, detached).close();
        return vm;
    }

    /** Begins a sandbox that is in hand from before another process can see the row, as in a real start. */
    private OwnerLock begin(VmId vm, SandboxSpec spec, boolean detached) {
        AtomicReference<@Nullable OwnerLock> lock = new AtomicReference<>();
        String name = spec.name().orElseThrow();
        long id = here.store()
                .insert(
                        new SandboxStore.NewSandbox(name, spec, new MainCommand(spec.command(), CommandOptions.none())),
                        Optional.of(new SandboxStore.NewRun(vm, detached, DEAD)),
                        directory ->
                                lock.set(SandboxLocks.in(state(), here.store()).lockNew(directory)))
                .orElseThrow();
        var _ = here.images()
                .acquire(
                        ImageReference.parse(spec.image()),
                        PullPolicy.MISSING,
                        SandboxContext.holder(id, name),
                        PullListener.none(),
                        soon());
        return Objects.requireNonNull(lock.get());
    }

    /** Makes a sandbox as above, with a VM that no process owns any more and that lives. */
    VmId abandoned(SandboxSpec spec, boolean detached) {
        VmId id = VmId.random();
        try (OwnerLock _ = begin(id, spec, detached);
                Vm vm = vms.memory.create(VmSpec.of(id, RootDisk.raw(Path.of("/none"))))) {
            vm.start(soon());
            vm.detach();
            here.store().move(id(spec.name().orElseThrow()), SandboxStatus.STARTING, SandboxStatus.RUNNING);
        }
        return id;
    }

    /** Makes this test the owner of a sandbox. */
    OwnerLock lock(String name) {
        return directory(name).tryLock().orElseThrow();
    }

    SandboxDirectory directory(String name) {
        return new SandboxDirectory(
                state().resolve("sandboxes"), row(name).orElseThrow().directory());
    }

    /** Neither rows nor runs nor pins nor VMs nor threads. */
    void assertNothingLeft() {
        assertThat(here.store().list(SandboxFilter.all())).isEmpty();
        assertThat(count("run")).isZero();
        assertThat(vms.memory.list()).isEmpty();
        assertNoPins();
        assertThat(state().resolve("sandboxes"))
                .satisfiesAnyOf(
                        directory -> assertThat(directory).doesNotExist(),
                        directory -> assertThat(directory).isEmptyDirectory());
        assertNoThreads();
    }

    void assertNoPins() {
        assertThat(count("image_pin")).isZero();
    }

    /** Those of guests and of connections to them; they end a moment after their channels. */
    static void assertNoThreads() {
        Awaitility.await()
                .untilAsserted(() -> assertThat(Thread.getAllStackTraces().keySet())
                        .extracting(Thread::getName)
                        .noneMatch(name -> name.startsWith("cloche-")));
    }

    long count(String table) {
        return here.catalog()
                .read(transaction -> transaction.first(row -> row.getLong(1), "SELECT count(*) FROM " + table))
                .orElseThrow();
    }

    @Override
    public void close() {
        vms.noMoreScripts();
        here.close();
        vms.close();
        assertNoThreads();
    }
}
