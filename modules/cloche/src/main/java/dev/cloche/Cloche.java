package dev.cloche;

import dev.cloche.base.Deadline;
import dev.cloche.execution.ExecutionSpec;
import dev.cloche.execution.Executions;
import dev.cloche.process.ProcessWorker;
import dev.cloche.sandbox.SandboxPage;
import dev.cloche.sandbox.SandboxRecord;
import dev.cloche.sandbox.SandboxStatus;
import dev.cloche.sandbox.Sandboxes;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Cloche on this host: images, and the sandboxes that run them. Safe for use from several threads; several processes may
 * use one state root at once.
 *
 * <pre>{@code
 * try (Cloche cloche = Cloche.open();
 *         Sandbox sandbox = cloche.sandbox("debian").memory(512).start()) {
 *     System.out.println(sandbox.exec("uname", "-a").stdoutText());
 * }
 * }</pre>
 *
 * <p>All errors are {@link dev.cloche.base.ClocheException}s. A call whose thread is interrupted ends with one, and leaves
 * the thread's interrupt status set.
 */
public final class Cloche implements AutoCloseable {
    private static final Duration DRIVER_LEASE = Duration.ofSeconds(30);
    private static final Duration STOP_MARGIN = Duration.ofSeconds(30);

    private final Rooms rooms;

    private Cloche(Rooms rooms) {
        this.rooms = rooms;
    }

    /** Opens the state root that the environment names; see {@link ClocheOptions#ofEnvironment()}. */
    public static Cloche open() {
        return open(ClocheOptions.ofEnvironment());
    }

    /**
     * Opens a state root, making it if it is missing.
     *
     * @throws dev.cloche.base.ClocheException if it cannot be used, or a newer Cloche has written it
     */
    public static Cloche open(ClocheOptions options) {
        Rooms rooms = Rooms.open(options);
        rooms.maintenance().start();
        return new Cloche(rooms);
    }

    /**
     * Lets what {@link #open} and a first start need be loaded by a thread of its own, and returns at once. Worth it only
     * in a JVM that has just begun and has something else to do first: it takes some tens of milliseconds off the open. Has no effect
     * outside of this JVM, and never fails.
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
        return new HostExamination(options).checks();
    }

    /** The records of a state root as a whole: to be checked, copied or migrated. Opens and changes nothing yet. */
    public static CatalogCare catalog(ClocheOptions options) {
        return new CatalogCare(options);
    }

    /**
     * A sandbox to start.
     *
     * @param image reference as in Docker, for example {@code debian} or {@code ghcr.io/x/y@sha256:…}; looked at when the
     *     sandbox is started
     */
    public SandboxBuilder sandbox(String image) {
        return new SandboxBuilder(this, image);
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
     * A sandbox to restore from a snapshot.
     *
     * @param snapshot its name; looked at when the sandbox is started
     */
    public RestoreBuilder restore(String snapshot) {
        return new RestoreBuilder(this, snapshot);
    }

    /**
     * Children to make of a running sandbox that this process owns, or that no process does.
     *
     * @param sandbox its name; looked at when they are made
     */
    public ForkBuilder fork(String sandbox) {
        return new ForkBuilder(this, () -> sandboxRoom().get(sandbox).id());
    }

    /** The snapshots of sandboxes. */
    public Snapshots snapshots() {
        return new Snapshots(sandboxRoom().snapshots());
    }

    private SandboxInfo info(SandboxRecord sandbox) {
        return Conversions.info(sandbox, sandboxRoom());
    }

    /** All sandboxes, also those that have ended, the newest first. */
    public List<SandboxInfo> sandboxes() {
        return sandboxRoom().list().stream().map(this::info).toList();
    }

    /**
     * Ends a sandbox of any process: its processes get SIGTERM, and SIGKILL after {@code grace}; a guest that does not
     * answer is killed. Returns when its end is recorded. Nothing happens if it has ended.
     *
     * @param grace zero to kill it at once
     * @throws dev.cloche.base.ClocheException if there is none of that name
     */
    public void stop(String name, Duration grace) {
        sandboxRoom().stop(name, grace, Deadline.after(grace.plus(STOP_MARGIN)));
    }

    /**
     * Kills a sandbox of any process without asking its guest. Returns when its end is recorded. Nothing happens if it has
     * ended.
     *
     * @throws dev.cloche.base.ClocheException if there is none of that name
     */
    public void kill(String name) {
        sandboxRoom().kill(name, Deadline.after(STOP_MARGIN));
    }

    /**
     * Starts a sandbox that was created, or has ended, once more: detached, with the image and the main command that it has.
     * One that runs is left as it is.
     *
     * <pre>{@code
     * cloche.sandbox("nginx").name("web").detached().create();
     * cloche.start("web");
     * }</pre>
     *
     * @throws dev.cloche.base.ClocheException if there is none of that name, or it cannot be started
     */
    public SandboxInfo start(String name) {
        return info(sandboxRoom().start(name, Conversions.listener(PullProgress.silent()), Deadline.none()));
    }

    /**
     * Stops a sandbox as {@link #stop} does, unless it has ended, and starts it again.
     *
     * @throws dev.cloche.base.ClocheException if there is none of that name, it is ephemeral, or it cannot be started
     */
    public SandboxInfo restart(String name, Duration grace) {
        return info(sandboxRoom().restart(name, grace, Deadline.none()));
    }

    /**
     * Halts a running sandbox in its memory. What is asked of its guest waits until it is resumed.
     *
     * @throws dev.cloche.base.ClocheException if there is none of that name, or it does not run
     */
    public void pause(String name) {
        sandboxRoom().pause(name, Deadline.after(STOP_MARGIN));
    }

    /**
     * Lets a paused sandbox go on; its clock is set to the present time.
     *
     * @throws dev.cloche.base.ClocheException if there is none of that name, or it does not run
     */
    public void resume(String name) {
        sandboxRoom().resume(name, Deadline.after(STOP_MARGIN));
    }

    /**
     * Ends a sandbox once the commands in it have finished: no process starts further ones in it from now on. Its main command
     * is not waited for. Durable commands are driven meanwhile, if no other program does it. Returns when its end is recorded.
     *
     * @param longest how long commands may go on; then it is stopped all the same
     * @param grace as for {@link #stop}
     * @throws dev.cloche.base.ClocheException if there is none of that name
     */
    public void drain(String name, Duration longest, Duration grace) {
        Executions executions = executionRoom();
        executions.tidy(name);
        // Durable commands end only if somebody brings away what they write, and records their end.
        try (ProcessWorker _ = executions.work(DRIVER_LEASE)) {
            sandboxRoom().drain(name, Deadline.after(longest), grace);
        }
    }

    /**
     * Gives a sandbox another name. The host name of its guest follows with its next start.
     *
     * @throws dev.cloche.base.ClocheException if there is none of that name, or the new one is taken or malformed
     */
    public void rename(String name, String newName) {
        sandboxRoom().rename(name, newName);
    }

    /** The sandboxes that a query asks for, the newest first. */
    public SandboxList sandboxes(SandboxQuery query) {
        SandboxPage page = sandboxRoom().list(query.filter());
        return new SandboxList(page.sandboxes().stream().map(this::info).toList(), page.next());
    }

    /**
     * All that is recorded of a sandbox: its settings, and each of its runs that is kept.
     *
     * @throws dev.cloche.base.ClocheException if there is none of that name
     */
    public SandboxInspection inspect(String name) {
        return Conversions.inspection(sandboxRoom().inspect(name), sandboxRoom());
    }

    /**
     * Waits until a sandbox has one of some statuses, or had one meanwhile, whichever process brings that about. Costs nothing
     * while it lasts.
     *
     * <pre>{@code
     * SandboxEnd end = cloche.await("build", Set.of("stopped", "crashed"), Optional.empty()).orElseThrow();
     * }</pre>
     *
     * @param longest to wait; empty for any time
     * @return empty if the sandbox is gone
     * @throws dev.cloche.base.ClocheException if there is none of that name, or it takes too long
     */
    public Optional<SandboxEnd> await(String name, Set<String> statuses, Optional<Duration> longest) {
        Set<SandboxStatus> wanted = EnumSet.noneOf(SandboxStatus.class);
        statuses.forEach(status -> wanted.add(Conversions.status(status)));
        Deadline deadline = longest.map(Deadline::after).orElseGet(Deadline::none);
        return sandboxRoom().await(name, wanted, deadline).map(Conversions::end);
    }

    /**
     * What happens to the sandboxes of this state root from now on, whichever process does it.
     *
     * @param since to hear also what has happened since then, as far as it is among the latest 10,000 events
     */
    public EventStream events(Optional<Instant> since) {
        return new EventStream(sandboxRoom().events().from(since));
    }

    /**
     * Takes over the detached sandboxes that no living process owns, now and whenever there is one, until this handle is
     * closed: their idle timeouts and restart policies are acted on and their ends recorded at once. So are those of named
     * machines, which nobody owns. They go on when it is closed
     * or this process dies, and the next that calls this takes them over. For processes that are there to stay; to be called
     * once.
     *
     * <p>Returns at once. Whatever it takes over can still be used by every process.
     */
    public void adopt() {
        sandboxRoom().keep();
        rooms.machines().keep();
    }

    /**
     * What the main command of a detached sandbox writes or wrote.
     *
     * @throws dev.cloche.base.ClocheException if there is none of that name, or it was not started detached
     */
    public SandboxLog log(String name) {
        return new SandboxLog(sandboxRoom().outputLog(name));
    }

    /**
     * Removes a sandbox with all that belongs to it.
     *
     * @param force whether it is killed if it runs; otherwise that is an error
     * @throws dev.cloche.base.ClocheException if there is none of that name, or it runs
     */
    public void remove(String name, boolean force) {
        sandboxRoom().remove(name, force, Deadline.after(STOP_MARGIN));
    }

    /**
     * Fetches an image from its registry, as far as it is not here, and makes it ready to boot. The registry is always
     * asked, so a tag that has moved means the new image afterwards.
     *
     * @throws dev.cloche.base.ClocheException if the reference is malformed, or the image cannot be fetched or used;
     *     layers that are complete by then are kept for the next try
     */
    public ImageInfo pull(String image) {
        return pull(image, PullProgress.silent());
    }

    /** Like {@link #pull(String)}, telling {@code progress} how far it is. */
    public ImageInfo pull(String image, PullProgress progress) {
        return imageCache().pull(image, progress);
    }

    /**
     * Verifies a login with its registry and keeps it in the state root, for this and every other process.
     *
     * @param registry as in images' names, for example {@code docker.io} or {@code ghcr.io}
     * @return false if the registry asks nobody for a login, so that this one is kept unverified
     * @throws dev.cloche.base.ClocheException if the registry does not take it or cannot be asked
     */
    public boolean login(String registry, RegistryLogin login) {
        return rooms.logins().login(registry, Conversions.login(login.user(), login.password()), Deadline.none());
    }

    /**
     * Forgets the login for a registry that {@link #login} has kept. Those of Docker stay.
     *
     * @return whether there was one
     */
    public boolean logout(String registry) {
        return rooms.logins().logout(registry, Deadline.none());
    }

    /** The images on this host, the newest first. */
    public List<ImageInfo> images() {
        return imageCache().list();
    }

    /** All that can be done with the images on this host. */
    public ImageCache imageCache() {
        return new ImageCache(rooms.images());
    }

    /**
     * Holds all that is recorded as running against what runs, and removes what dead processes have left of ephemeral
     * sandboxes. This happens by itself: when a state root is opened and then every half minute, by one process for all. Here
     * it is done now, and until nothing remains to be done.
     *
     * <pre>{@code
     * MaintenanceResult done = cloche.maintain();
     * System.out.println(done.reconciled() + " had ended, " + done.removed() + " removed");
     * }</pre>
     */
    public MaintenanceResult maintain() {
        return MaintenanceResult.of(rooms.maintenance().sweep());
    }

    /** What {@link #maintain()} would do now with a state root that nobody else maintains; nothing is done. */
    public static List<MaintenanceResult.Step> maintenancePlan(ClocheOptions options) {
        try (Rooms rooms = Rooms.open(options)) {
            return rooms.maintenance().preview().stream()
                    .map(MaintenanceResult.Step::of)
                    .toList();
        }
    }

    /**
     * The durable records of work on this host.
     *
     * @throws dev.cloche.base.ClocheException if they cannot be used
     */
    public Processes processes() {
        return new Processes(rooms.processes().registry(), rooms.processes().outputs());
    }

    /**
     * A command that outlives this process in a sandbox that runs.
     *
     * @param sandbox its name
     * @param words the program and its arguments; no shell reads them
     */
    public DurableCommand durableCommand(String sandbox, String... words) {
        List<String> command = List.of(words);
        return new DurableCommand(options -> {
            SandboxRecord record = sandboxRoom().get(sandbox);
            if (record.status() != SandboxStatus.RUNNING) {
                // Says what it is instead.
                connect(sandbox).close();
            }
            return ProcessInfo.of(
                    executionRoom().start(new ExecutionSpec(record.id(), record.name(), command, options)));
        });
    }

    /**
     * What a durable command wrote.
     *
     * @throws dev.cloche.base.ClocheException if there is no such process, or it is no command in a sandbox
     */
    public ProcessLog processLog(String id) {
        return new ProcessLog(executionRoom().log(id));
    }

    /**
     * Brings the output of durable commands to this host's disk, and records their ends, from now until this handle is closed:
     * of those that no other program drives.
     */
    public void driveCommands() {
        driveCommands(DRIVER_LEASE);
    }

    /** @param lease after which another program goes on, should this one die */
    void driveCommands(Duration lease) {
        rooms.processes().work(executionRoom(), lease);
    }

    private Executions executionRoom() {
        return new Executions(
                rooms.processes().registry(), sandboxRoom(), rooms.processes().outputs(), Clock.systemUTC());
    }

    /** The named machines of this host. */
    public Machines machines() {
        return new Machines(rooms.machines());
    }

    /** What sandboxes get their VMs from without a wait. */
    public Pools pools() {
        return new Pools(rooms.sandboxes().pools());
    }

    /** What sandboxes are restored from in place of a boot. */
    public Templates templates() {
        return new Templates(rooms.sandboxes());
    }

    /** Ends the sandboxes that this handle started and that are still open. Closing twice does nothing. */
    @Override
    public void close() {
        rooms.close();
    }

    Sandboxes sandboxRoom() {
        return rooms.sandboxes();
    }
}
