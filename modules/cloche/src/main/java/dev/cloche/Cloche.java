package dev.cloche;

import dev.cloche.base.Deadline;
import dev.cloche.base.EnumNames;
import dev.cloche.base.Incubating;
import dev.cloche.base.Printable;
import dev.cloche.image.RegistryLogin;
import dev.cloche.interpreter.Interpreter;
import dev.cloche.interpreter.InterpreterException;
import dev.cloche.interpreter.Interpreters;
import dev.cloche.interpreter.Language;
import dev.cloche.interpreter.PreparedDriver;
import dev.cloche.linux.HostSystem;
import dev.cloche.machine.OrphanedMachine;
import dev.cloche.sandbox.MaintenanceStep;
import dev.cloche.sandbox.Orphan;
import dev.cloche.sandbox.SandboxException;
import dev.cloche.sandbox.SandboxManager;
import dev.cloche.vm.SpawnException;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Cloche on this host: starts sandboxes, and leads to all that there is of each kind. Safe for use from several threads;
 * several processes may use one state root at once.
 *
 * <pre>{@code
 * try (Cloche cloche = Cloche.open();
 *         Sandbox sandbox = cloche.sandbox("debian").memoryMib(512).start()) {
 *     System.out.println(sandbox.exec("uname", "-a").stdoutText());
 * }
 * }</pre>
 *
 * <p>All errors are {@link dev.cloche.base.ClocheException}s. A call whose thread is interrupted ends with one, and leaves
 * the thread's interrupt status set.
 */
public final class Cloche implements AutoCloseable {
    private final StateRootOpening opening;

    private Cloche(StateRootOpening opening) {
        this.opening = opening;
    }

    /**
     * Returns whether Cloche has VMs for the operating system and the processor of this JVM: Linux on x86-64. Loads nothing
     * native. What else it needs of a host, {@link #examine} says.
     */
    public static boolean isSupported() {
        return HostSystem.ofThisJvm().isSupported();
    }

    /** Opens the state root that the environment names; see {@link ClocheOptions#ofEnvironment()}. */
    public static Cloche open() {
        return open(ClocheOptions.ofEnvironment());
    }

    /**
     * Opens a state root, making it if it is missing.
     *
     * @throws HostException.Unsupported if {@link #isSupported} is false; nothing was made
     * @throws dev.cloche.base.ClocheException if this JVM denies native calls (code {@code linux.native-access-denied};
     *     nothing was made), or the root cannot be used, or a newer Cloche has written it
     */
    public static Cloche open(ClocheOptions options) {
        Cloche cloche = openOnFirstUse(options);
        cloche.ensureOpen();
        return cloche;
    }

    /**
     * Returns at once a handle whose first call that needs the state root opens it, and throws what {@link #open} would have
     * thrown; the next call tries again. For applications that begin with something else: any thread of theirs can
     * {@link #ensureOpen} meanwhile. A handle that is closed before its first use has opened nothing.
     *
     * @throws HostException.Unsupported if {@link #isSupported} is false
     */
    public static Cloche openOnFirstUse(ClocheOptions options) {
        StateRoot.requireSupportedSystem();
        return new Cloche(new StateRootOpening(options));
    }

    /**
     * Opens the state root if it is not open yet; waits if another thread does so.
     *
     * @throws dev.cloche.base.ClocheException as {@link #open(ClocheOptions)} does
     */
    public void ensureOpen() {
        var _ = rooms();
    }

    /**
     * Lets what {@link #open} and a first start need be loaded by a thread of its own, and returns at once. Worth it only
     * in a JVM that has just begun and has something else to do first: it takes some tens of milliseconds off the open. Has no
     * effect outside of this JVM, and never fails.
     */
    public static void prepare() {
        Rooms.prepare();
    }

    /**
     * Looks at what Cloche needs of this host: what fails is a finding, not an exception. Makes the state root if it is
     * missing, and may boot a tiny VM the first time.
     *
     * <pre>{@code
     * Cloche.examine(ClocheOptions.ofEnvironment())
     *         .forEach(check -> System.out.println(check.verdict() + " " + check.name() + ": " + check.finding()));
     * }</pre>
     */
    public static List<HealthCheck> examine(ClocheOptions options) {
        return examine(options, Set.of());
    }

    /**
     * Looks at this host as {@link #examine(ClocheOptions)} does; what is required and not there is a failure, although
     * sandboxes would run.
     */
    public static List<HealthCheck> examine(ClocheOptions options, Set<HostRequirement> required) {
        return new HostExamination(options, required, Clock.systemUTC()).checks();
    }

    /** Returns the records of a state root as a whole: to be checked, copied or migrated. Opens and changes nothing yet. */
    public static CatalogCare catalog(ClocheOptions options) {
        return new CatalogCare(options);
    }

    /**
     * Returns what {@link #maintain()} would do now if no other process maintained this state root. Does nothing of it. A step
     * with what a removed machine has left names that machine.
     */
    public static List<MaintenanceStep> maintenancePlan(ClocheOptions options) {
        try (Rooms rooms = Rooms.open(options)) {
            return Stream.concat(
                            rooms.maintenance().preview().stream(),
                            rooms.machines().orphans().stream().map(Cloche::removal))
                    .toList();
        }
    }

    private static MaintenanceStep removal(OrphanedMachine orphan) {
        String name = orphan.name().isEmpty() ? orphan.id().value() : orphan.name();
        return new MaintenanceStep(name, MaintenanceStep.Action.REMOVE, orphan.what());
    }

    /**
     * Returns a sandbox to start.
     *
     * @param image reference as in Docker, for example {@code debian} or {@code ghcr.io/x/y@sha256:…}, or the digest of an
     *     image on this host, {@code sha256:…}, or its beginning; looked at when the sandbox is started
     */
    public SandboxBuilder sandbox(String image) {
        return new SandboxBuilder(this, image);
    }

    /**
     * Returns an interpreter to start, with a sandbox of its own.
     *
     * <pre>{@code
     * try (Interpreter python = cloche.interpreter(Language.PYTHON).image("python:3.13-slim").start()) {
     *     System.out.println(python.run("6 * 7").text());
     * }
     * }</pre>
     */
    @Incubating
    public InterpreterBuilder interpreter(Language language) {
        return new InterpreterBuilder(this, language);
    }

    /**
     * Connects to a running sandbox of this or any other process.
     *
     * @throws dev.cloche.base.ClocheException if there is none of that name, or it does not run
     */
    public Sandbox connect(String name) {
        return new Sandbox(this, sandboxRoom().connect(name, Deadline.none()));
    }

    /**
     * Returns a sandbox to restore from a snapshot.
     *
     * @param snapshot its name; looked at when the sandbox is started
     */
    public RestoreBuilder restore(String snapshot) {
        return new RestoreBuilder(this, snapshot);
    }

    /**
     * Returns children to make of a running sandbox that this process owns, or that no process does.
     *
     * @param sandbox its name; looked at when they are made
     */
    public ForkBuilder fork(String sandbox) {
        return new ForkBuilder(this, () -> sandboxRoom().get(sandbox).id());
    }

    /** Returns what there is of sandboxes on this host, of any process. */
    public Sandboxes sandboxes() {
        return new Sandboxes(rooms());
    }

    /** Returns the snapshots of sandboxes. */
    public Snapshots snapshots() {
        return new Snapshots(sandboxRoom().snapshots());
    }

    /** What people mean by the beginning of a digest; any other text as it is. */
    String exactImage(String image) {
        return Images.exact(rooms().images(), image);
    }

    /** Returns the images on this host. */
    public Images images() {
        return new Images(rooms());
    }

    /**
     * Returns a named machine to start.
     *
     * @param name of a machine that {@link Machines#create} has made; looked at when it is started
     */
    public MachineStarter machine(String name) {
        return new MachineStarter(rooms().machines(), name);
    }

    /** Returns the named machines of this host. */
    public Machines machines() {
        return new Machines(rooms().machines(), this::exactImage);
    }

    /** Returns what sandboxes get their VMs from without a wait. */
    public Pools pools() {
        return new Pools(sandboxRoom().pools(), this::exactImage, templates()::prepared);
    }

    /** Returns what sandboxes are restored from in place of a boot. */
    public Templates templates() {
        return new Templates(this);
    }

    /**
     * Returns the durable records of work on this host.
     *
     * @throws dev.cloche.base.ClocheException if they cannot be used
     */
    public Processes processes() {
        return new Processes(rooms());
    }

    /**
     * Verifies a login with its registry and keeps it in the state root, for this and every other process.
     *
     * @param registry as in images' names, for example {@code docker.io} or {@code ghcr.io}
     * @return false if the registry asks for no login, so that this one is kept unverified
     * @throws dev.cloche.base.ClocheException if the registry does not take it or cannot be asked
     */
    public boolean login(String registry, RegistryLogin login) {
        return rooms().logins().login(registry, login, Deadline.none());
    }

    /**
     * Forgets the login for a registry that {@link #login} has kept. Those of Docker stay.
     *
     * @return whether there was one
     */
    public boolean logout(String registry) {
        return rooms().logins().logout(registry, Deadline.none());
    }

    /**
     * Takes over the detached sandboxes that no living process owns, now and whenever there is one, until this handle is
     * closed: their idle timeouts and restart policies are acted on and their ends recorded at once. So are those of named
     * machines, which no process owns. They go on when it is closed or this process dies, and the next that calls this takes
     * them over. For processes that are there to stay; to be called once.
     *
     * <p>Returns at once. Every process can still use what this one takes over.
     */
    public void adopt() {
        sandboxRoom().keep();
        rooms().machines().keep();
    }

    /**
     * Holds all that is recorded as running against what runs, and removes what dead processes have left of ephemeral
     * sandboxes. This happens by itself: when a state root is opened and then every half minute, by one process for all. Here
     * it is done now, and until nothing remains to be done. What is kept for machines whose directories are gone goes too.
     *
     * <pre>{@code
     * MaintenanceResult done = cloche.maintain();
     * System.out.println(done.reconciled() + " had ended, " + done.removed() + " removed");
     * }</pre>
     */
    public MaintenanceResult maintain() {
        return MaintenanceResult.of(
                rooms().maintenance().sweep(), rooms().machines().sweep().size());
    }

    /**
     * Returns the VMs that run or have run and that no sandbox, machine or pool has, because the records were lost or restored;
     * {@link CatalogCare#removeOrphans} ends them.
     */
    public List<Orphan> unrecordedVms() {
        return new OrphanCare(rooms()).vms();
    }

    /**
     * Brings the output of durable commands to this host's disk, and records their ends, from now until this handle is closed:
     * of those that no other program drives.
     */
    public void driveCommands() {
        driveCommands(ProcessRoom.LEASE);
    }

    /** @param lease after which another program goes on, should this one die */
    void driveCommands(Duration lease) {
        rooms().processes().work(rooms().executions(), lease);
    }

    /** Ends the sandboxes that this handle started and that are still open. Closing twice does nothing. */
    @Override
    public void close() {
        opening.close();
    }

    Rooms rooms() {
        return opening.rooms();
    }

    /**
     * An interpreter that is about to be started in a sandbox of its own: of a template that was prepared for it, in which its
     * program runs already. Not safe for use from several threads.
     */
    @Incubating
    public static final class InterpreterBuilder {
        private final Cloche cloche;
        private final Language language;
        private @Nullable String image;
        private List<String> modules = List.of();
        private UnaryOperator<SandboxBuilder> settings = UnaryOperator.identity();

        private InterpreterBuilder(Cloche cloche, Language language) {
            this.cloche = cloche;
            this.language = language;
        }

        /**
         * Sets the image, which is to have the program of the language; by default the one that {@code config.toml} names below
         * {@code [interpreter]}.
         *
         * @param reference as of {@link Cloche#sandbox}
         */
        public InterpreterBuilder image(String reference) {
            image = reference;
            return this;
        }

        /**
         * Sets modules that are imported once, before there is a context: an {@code import} in a cell finds them ready.
         *
         * <pre>{@code
         * cloche.interpreter(Language.PYTHON).image("notebook").imports("pandas", "matplotlib.pyplot").start();
         * }</pre>
         *
         * @param names as in an import, at most 100; looked at when it is started
         */
        public InterpreterBuilder imports(String... names) {
            modules = List.of(names);
            return this;
        }

        /**
         * Sets what the sandbox is like. Where it gets what is one sandbox's own, such as a name, labels, a user, published ports
         * or a time limit, it is started from its image, and the program in it, which takes longer.
         *
         * <pre>{@code
         * cloche.interpreter(Language.PYTHON).sandbox(sandbox -> sandbox.memoryMib(2048)).start();
         * }</pre>
         */
        public InterpreterBuilder sandbox(UnaryOperator<SandboxBuilder> changes) {
            settings = changes;
            return this;
        }

        /**
         * Prepares the template that {@link #start} takes, unless it is there. A pool can be set of its name.
         *
         * <pre>{@code
         * String template = cloche.interpreter(Language.PYTHON).image("python:3.13-slim").prepare().name();
         * cloche.pools().template(template).depth(4).set();
         * }</pre>
         *
         * @throws dev.cloche.base.ClocheException as {@link #start} does; with the code {@code interpreter.invalid} if the sandbox
         *     gets what no sandbox of a template can be given, or the language is {@link Language#SHELL}
         */
        public SnapshotInfo prepare() {
            SandboxBuilder sandbox = sandbox();
            if (!sandbox.canBeTemplates()) {
                throw new InterpreterException.Invalid(
                        "The sandbox of this interpreter gets what a template does not have.",
                        "Set its memory, processors, disk, network and environment alone.");
            }
            return prepared(preparation(new PreparedDriver(language, modules), sandbox));
        }

        /**
         * Starts the sandbox and the interpreter; closing it ends both. The first start of an image, a size and these imports
         * prepares a template, unless {@link ClocheOptions#templateMaking()} says that none is made; further ones are restored from
         * that. A shell needs none, and starts as any sandbox.
         *
         * @throws dev.cloche.base.ClocheException with the code {@code interpreter.no-image} if no image is named, {@code
         *     interpreter.not-started} if a module cannot be imported, as {@link SandboxBuilder#start} and {@link
         *     Sandbox#interpreter} do
         */
        public Interpreter start() {
            PreparedDriver.checkModules(language, modules);
            SandboxBuilder sandbox = sandbox();
            if (PreparedDriver.isOf(language) && sandbox.canBeTemplates()) {
                PreparedDriver driver = new PreparedDriver(language, modules);
                Templates.Preparation template = preparation(driver, sandbox);
                boolean there = template.isThere();
                if (!there && cloche.opening.makesTemplates()) {
                    var _ = prepared(template);
                    there = true;
                }
                if (there) {
                    return sandbox.restored(template.name()).start().soleInterpreter(driver::in);
                }
            }
            return sandbox.start()
                    .soleInterpreter((running, close) -> Interpreters.open(running, language, modules, close));
        }

        private SandboxBuilder sandbox() {
            return settings.apply(cloche.sandbox(image == null ? configured() : image));
        }

        /** One for each image, size and list of modules, so that they do not replace each other. */
        private Templates.Preparation preparation(PreparedDriver driver, SandboxBuilder sandbox) {
            String language = EnumNames.of(driver.language());
            return sandbox.preparation("interpreter-" + language, driver.modules())
                    .run(words(driver.write()))
                    .start(words(driver.start()))
                    .ready(Ready.command(words(driver.ready())))
                    .interpreter(driver.recipe());
        }

        private static String[] words(List<String> command) {
            return command.toArray(String[]::new);
        }

        private SnapshotInfo prepared(Templates.Preparation template) {
            try {
                return template.ensure();
            } catch (SpawnException.CommandNotFound missing) {
                throw new InterpreterException.NotInstalled(language, missing);
            } catch (SandboxException.PreparationFailed failed) {
                // The last line is the one that names what is wrong.
                String line = failed.output()
                        .strip()
                        .lines()
                        .reduce((_, next) -> next)
                        .orElse(failed.sentence());
                throw new InterpreterException.NotStarted(language, Printable.brief(line), failed);
            }
        }

        private String configured() {
            String named = cloche.rooms().configuration().read().interpreters().get(language);
            if (named == null) {
                throw new InterpreterException.NoImage(language);
            }
            return named;
        }
    }

    SandboxManager sandboxRoom() {
        return rooms().sandboxes();
    }
}
