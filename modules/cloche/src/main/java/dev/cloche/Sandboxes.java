package dev.cloche;

import dev.cloche.base.Deadline;
import dev.cloche.base.Incubating;
import dev.cloche.execution.Executions;
import dev.cloche.image.PullListener;
import dev.cloche.sandbox.SandboxManager;
import dev.cloche.sandbox.SandboxPage;
import dev.cloche.sandbox.SandboxRecord;
import dev.cloche.sandbox.SandboxStatus;
import dev.cloche.sandbox.Secrets;
import dev.cloche.sandbox.StatusReached;
import dev.cloche.vm.WritableLayer;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.UnaryOperator;

/**
 * The sandboxes on this host, by name: what is known of them, and what is done to those of any process. To use one, {@link
 * Cloche#sandbox} starts it and {@link Cloche#connect} reaches it. Safe for use from several threads and processes.
 *
 * <pre>{@code
 * Sandboxes sandboxes = cloche.sandboxes();
 * sandboxes.list().forEach(info -> System.out.println(info.name() + " " + info.status()));
 * sandboxes.stop("web", Duration.ofSeconds(10));
 * sandboxes.remove("web", false);
 * }</pre>
 *
 * <p>All errors are {@link dev.cloche.base.ClocheException}s; every call that names a sandbox fails if there is none of that
 * name.
 */
public final class Sandboxes {
    private static final Duration STOP_MARGIN = Duration.ofSeconds(30);

    private final Rooms rooms;
    private final SandboxManager room;

    Sandboxes(Rooms rooms) {
        this.rooms = rooms;
        this.room = rooms.sandboxes();
    }

    /** Returns all sandboxes, also those that have ended, the newest first. */
    public List<SandboxInfo> list() {
        return room.list().stream().map(this::info).toList();
    }

    /** Returns the sandboxes that a query asks for, the newest first. */
    public SandboxList list(SandboxQuery query) {
        SandboxPage page = room.list(query.filter());
        return new SandboxList(page.sandboxes().stream().map(this::info).toList(), page.next());
    }

    /**
     * Returns all that is recorded of a sandbox: its settings, and each of its runs that is kept.
     *
     * @throws dev.cloche.base.ClocheException if there is none of that name
     */
    public SandboxInspection inspect(String name) {
        return SandboxInspection.of(room.inspect(name), room);
    }

    /**
     * Waits until a sandbox has one of some statuses, or had one meanwhile, through an action of any process. Takes no
     * processor time meanwhile.
     *
     * <pre>{@code
     * StatusReached end = cloche.sandboxes().await("build", Set.of(STOPPED, CRASHED)).orElseThrow();
     * }</pre>
     *
     * @return the status that came first; empty if the sandbox is removed
     * @throws dev.cloche.base.ClocheException if there is none of that name
     */
    public Optional<StatusReached> await(String name, Set<SandboxStatus> statuses) {
        return room.await(name, statuses, Deadline.none());
    }

    /**
     * Waits no longer than {@code longest}; otherwise does what {@link #await(String, Set)} does.
     *
     * @throws dev.cloche.base.ClocheException with the code {@code vm.deadline} if that time passes, or if there is none of
     *     that name
     */
    public Optional<StatusReached> await(String name, Set<SandboxStatus> statuses, Duration longest) {
        return room.await(name, statuses, Deadline.after(longest));
    }

    /** Opens a stream of what happens to the sandboxes of this state root from now on, through any process. */
    public EventStream events() {
        return new EventStream(room.events().from(Optional.empty()));
    }

    /**
     * Opens a stream that begins with what has happened since a time, as far as that is among the latest 10,000 events, and
     * goes on with what happens.
     */
    public EventStream eventsSince(Instant since) {
        return new EventStream(room.events().from(Optional.of(since)));
    }

    /**
     * Returns what the main command of a detached sandbox writes or wrote.
     *
     * @throws dev.cloche.base.ClocheException if there is none of that name, or it was not started detached
     */
    public SandboxLog log(String name) {
        return new SandboxLog(room.outputLog(name));
    }

    /**
     * Starts a sandbox that was created, or has ended, once more: detached, with the image and the main command that it has.
     * One that runs is left as it is, and one that is suspended goes on.
     *
     * <pre>{@code
     * cloche.sandbox("nginx").name("web").detached().create();
     * cloche.sandboxes().start("web");
     * }</pre>
     *
     * @throws dev.cloche.base.ClocheException if there is none of that name, or it cannot be started
     */
    public SandboxInfo start(String name) {
        return info(room.start(name, PullListener.none(), Deadline.none()));
    }

    /**
     * Starts a sandbox as {@link #start(String)} does, and waits for room, in turn, where the host's limits leave none.
     *
     * @param waitForRoom how long at most, and no longer than its start may take; not negative
     */
    public SandboxInfo start(String name, Duration waitForRoom) {
        return info(room.start(name, waitForRoom, PullListener.none(), Deadline.none()));
    }

    /**
     * Ends a sandbox of any process: its processes get SIGTERM, and SIGKILL after {@code grace}; a guest that does not
     * answer is killed. Returns when its end is recorded. Nothing happens if it has ended.
     *
     * @param grace zero to kill it at once
     * @throws dev.cloche.base.ClocheException if there is none of that name
     */
    public void stop(String name, Duration grace) {
        room.stop(name, grace, Deadline.after(grace.plus(STOP_MARGIN)));
    }

    /**
     * Kills a sandbox of any process without asking its guest. Returns when its end is recorded. Nothing happens if it has
     * ended.
     *
     * @throws dev.cloche.base.ClocheException if there is none of that name
     */
    public void kill(String name) {
        room.kill(name, Deadline.after(STOP_MARGIN));
    }

    /**
     * Stops a sandbox as {@link #stop} does, unless it has ended, and starts it again.
     *
     * @throws dev.cloche.base.ClocheException if there is none of that name, it is ephemeral, or it cannot be started
     */
    public SandboxInfo restart(String name, Duration grace) {
        return info(room.restart(name, grace, Deadline.none()));
    }

    /**
     * Halts a running sandbox in its memory. What is asked of its guest waits until it is resumed.
     *
     * @throws dev.cloche.base.ClocheException if there is none of that name, or it does not run
     */
    public void pause(String name) {
        room.pause(name, Deadline.after(STOP_MARGIN));
    }

    /**
     * Lets a paused or suspended sandbox go on; its clock is set to the present time. One that was suspended is detached from
     * then on.
     *
     * @throws dev.cloche.base.ClocheException if there is none of that name, it does not run, or its memory does not fit this
     *     host any more: then the message names what differs, and it stays suspended
     */
    @Incubating
    public void resume(String name) {
        room.resume(name, Deadline.none());
    }

    /**
     * Lets a suspended sandbox go on as {@link #resume(String)} does, with these secrets in place of all that it had: for one that
     * was {@linkplain #suspendWithoutSecrets suspended without them}, or whose secrets have changed since.
     *
     * <pre>{@code
     * cloche.sandboxes().resume("web", Map.of("token", token));
     * }</pre>
     *
     * @param secrets by name, as {@link SandboxBuilder#secret(String, byte[])} has them; none leaves those that it has
     * @throws dev.cloche.base.ClocheException as that does, and if it is not suspended, or a name or size is out of range
     */
    @Incubating
    public void resume(String name, Map<String, byte[]> secrets) {
        Secrets all = Secrets.none();
        for (Map.Entry<String, byte[]> secret : secrets.entrySet()) {
            all = all.with(secret.getKey(), secret.getValue());
        }
        room.resume(name, all, Deadline.none());
    }

    /**
     * Gives up the memory of a suspended sandbox, and starts it from its disk, in a new run: where the memory does not fit this
     * host any more, or is not wanted.
     *
     * <pre>{@code
     * cloche.sandboxes().startFromDisk("web");
     * }</pre>
     *
     * @throws dev.cloche.base.ClocheException if there is none of that name, it is not suspended, or it has no disk; its memory is
     *     kept then
     */
    @Incubating
    public void startFromDisk(String name) {
        var _ = room.startFromDisk(name, PullListener.none(), Deadline.none());
    }

    /**
     * Writes the memory of a running or paused sandbox to disk and ends its VM. When it is {@linkplain #resume resumed}, by any
     * process and also after a reboot of the host, the same run goes on: processes with their pids, their open files, what they
     * have written. Connections to it are lost, and its longest duration stands still. Nothing happens if it is suspended.
     *
     * <pre>{@code
     * cloche.sandboxes().suspend("web");
     * cloche.sandboxes().resume("web");
     * }</pre>
     *
     * <p>The memory on the disk holds the secrets of the sandbox. Commands that are waited for end with the code {@code
     * sandbox.suspended}; they go on when it is resumed.
     *
     * @throws dev.cloche.base.ClocheException if there is none of that name, it neither runs nor is paused, or another process
     *     owns it; it goes on then
     */
    @Incubating
    public void suspend(String name) {
        room.suspend(name, Deadline.none());
    }

    /**
     * Suspends a running sandbox as {@link #suspend} does, without its secrets: before, {@code /run/secrets} is overwritten and
     * removed in its guest, and what this host keeps of them for further starts is deleted. What its programs have read or copied
     * stays in its memory. {@link #resume(String, Map)} gives it new ones; otherwise it has none from then on.
     *
     * <pre>{@code
     * cloche.sandboxes().suspendWithoutSecrets("web");
     * }</pre>
     *
     * @throws dev.cloche.base.ClocheException as that does, and if it is paused or suspended already. If the suspension fails
     *     after they are gone, the sandbox goes on without them
     */
    @Incubating
    public void suspendWithoutSecrets(String name) {
        room.suspendWithoutSecrets(name, Deadline.none());
    }

    /**
     * Puts the deadline of a sandbox off, also of one that another process owns; see {@link Sandbox#extend}.
     *
     * <pre>{@code
     * Instant end = cloche.sandboxes().extend("web", Duration.ofHours(1));
     * }</pre>
     *
     * @return the new deadline
     * @throws dev.cloche.base.ClocheException as that does, and if there is none of that name
     */
    @Incubating
    public Instant extend(String name, Duration more) {
        return room.extend(room.get(name).id(), more);
    }

    /**
     * Sets the deadline of a sandbox, also of one that another process owns; see {@link Sandbox#deadline(Instant)}.
     *
     * <pre>{@code
     * cloche.sandboxes().deadline("web", Instant.now().plus(Duration.ofMinutes(5)));
     * }</pre>
     *
     * @return the same, as far as the clocks of the host tell
     * @throws dev.cloche.base.ClocheException as that does, and if there is none of that name
     */
    @Incubating
    public Instant deadline(String name, Instant until) {
        return room.deadline(room.get(name).id(), until);
    }

    /**
     * Limits what a sandbox may ask of its disk: at once where it runs, also of one that another process owns, and at each of its
     * later starts.
     *
     * <pre>{@code
     * cloche.sandboxes().limitDisk("build", now -> now.withIops(500).withBytesPerSecond(20 << 20));
     * cloche.sandboxes().limitDisk("build", now -> WritableLayer.Throttle.none());
     * }</pre>
     *
     * <p>While it is being stopped or suspended the limits do not hold, so that what it has not written yet is not lost.
     *
     * @param change of the limits that it has; called once
     * @throws dev.cloche.base.ClocheException if there is none of that name, it writes to its memory and has no disk, it is just
     *     being started, or a limit is out of range
     */
    @Incubating
    public void limitDisk(String name, UnaryOperator<WritableLayer.Throttle> change) {
        var _ = room.limitDisk(room.get(name).id(), change, Deadline.after(STOP_MARGIN));
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
        Executions executions = rooms.executions();
        executions.tidy(name);
        // Durable commands end only if a driver brings away what they write, and records their end.
        try (ProcessRoom.Driving _ = rooms.processes().drive(executions, ProcessRoom.LEASE)) {
            room.drain(name, Deadline.after(longest), grace);
        }
    }

    /**
     * Gives a sandbox another name. The host name of its guest follows with its next start.
     *
     * @throws dev.cloche.base.ClocheException if there is none of that name, or the new one is taken or malformed
     */
    public void rename(String name, String newName) {
        room.rename(name, newName);
    }

    /**
     * Removes a sandbox with all that belongs to it.
     *
     * @param force whether it is killed if it runs; otherwise that is an error
     * @throws dev.cloche.base.ClocheException if there is none of that name, or it runs
     */
    public void remove(String name, boolean force) {
        room.remove(name, force, Deadline.after(STOP_MARGIN));
    }

    private SandboxInfo info(SandboxRecord sandbox) {
        return SandboxInfo.of(sandbox, room);
    }
}
