package dev.cloche.vm;

import dev.cloche.base.Deadline;
import java.time.Duration;
import java.util.List;

/**
 * The inside of a running VM, as its agent serves it. Safe for use from several threads.
 *
 * <p>Every blocking call throws {@link GuestException.ConnectionLost} if the VM ends or the connection breaks, {@link
 * GuestException.ProtocolBroken} if the guest broke the protocol (the connection is then closed for good), {@link
 * VmException.Deadline} when its deadline passes and {@link VmException.Interrupted} when its thread is interrupted.
 */
public interface Guest {
    GuestHello hello();

    /** Returns when the agent has answered. */
    void ping(Deadline deadline);

    /**
     * Gives the guest a new identity, all of it in one frame.
     *
     * @throws GuestException.Refused if the agent could not apply it
     */
    default void configure(GuestIdentity identity, Deadline deadline) {
        beginConfigure(identity, deadline).await();
    }

    /**
     * Does what {@link #configure} does, without waiting for the answer: a program that is started meanwhile runs under the new
     * identity, and no round trip is waited for in between.
     */
    PendingIdentity beginConfigure(GuestIdentity identity, Deadline deadline);

    /**
     * Starts a program and returns when it runs.
     *
     * <p>If the deadline passes or the thread is interrupted before the guest has answered, the execution is killed as
     * soon as it turns out to have started.
     *
     * @throws SpawnException if it cannot be started; its subclasses say why
     * @throws GuestException.Refused if the agent refuses the request for another reason, for example {@link
     *     GuestFailure#NEEDS_IDENTITY} after {@link #quiesce}
     */
    GuestExecution exec(ExecRequest request, Deadline deadline);

    /**
     * Goes on with an execution that another connection has begun, or this one and let go. A caller that is attached to it
     * on another connection gets an {@link GuestException.ExecutionTaken}.
     *
     * <p>Of an execution whose output is {@link ExecRequest#acknowledged acknowledged}, {@link GuestExecution#acknowledge
     * acknowledge} at once what was read already: the reader may have died before it acknowledged, and a guest that keeps as
     * much as it may waits for that.
     *
     * @param execution its id
     * @param from what was read already; an output of which the guest no longer has the bytes from there on begins with an
     *     {@link GuestException.OutputGap}
     * @throws GuestException.Refused {@link GuestFailure#NO_SUCH_EXECUTION} if the guest does not know it any more, {@link
     *     GuestFailure#BAD_REQUEST} if {@code from} is beyond what was written
     * @throws VmException.Busy if it is attached to this connection
     */
    GuestExecution attach(int execution, AttachPoint from, Deadline deadline);

    /** Returns what runs, and what has ended and is kept, by rising id; at most 1,024. */
    List<ExecutionInfo> executions(Deadline deadline);

    /**
     * Has the guest forget an execution that has ended, and its output.
     *
     * @throws GuestException.Refused {@link GuestFailure#NO_SUCH_EXECUTION} if it does not know it, {@link
     *     GuestFailure#STILL_RUNNING} if it has not ended
     */
    void release(int execution, Deadline deadline);

    /** Returns what the guest uses at present. */
    GuestMetrics metrics(Deadline deadline);

    /**
     * Flushes what was written to the guest's disk and lets programs that write wait, until {@link #thaw}.
     *
     * @param thawAfter 1 millisecond to 10 minutes, after which the guest thaws by itself
     */
    void freeze(Duration thawAfter, Deadline deadline);

    /** Ends a {@link #freeze}; nothing happens if nothing is frozen. */
    void thaw(Deadline deadline);

    /**
     * Has the guest take no new programs until it gets a new identity with entropy: to be sent before a snapshot, so that
     * no clone works under the identity of its siblings. What runs already runs on.
     */
    void quiesce(Deadline deadline);

    /**
     * Waits until nothing more comes on this connection, and says why: a {@link GuestException.ProtocolBroken} if the guest has
     * broken the protocol, or does not read what it is sent; otherwise its VM has ended, or the handle was closed.
     */
    VmException awaitLoss(Deadline deadline);

    /**
     * Waits until the guest's init says that it has brought the system up, by {@code READY=1} to the socket {@code
     * @cloche-init}, as systemd does where that is its {@code NOTIFY_SOCKET}. Returns at once if it has said so.
     *
     * @throws GuestException.Refused {@link GuestFailure#BAD_REQUEST} if there is no init, {@link GuestFailure#INTERNAL} if it
     *     has ended
     */
    void awaitInit(Deadline deadline);

    /**
     * Connects to what listens in the guest, by this connection, without any network. Closing the connection to the guest resets
     * the stream.
     *
     * @throws GuestException.ConnectionRefused if nothing listens there, also after the patience of the request
     * @throws GuestException.OlderAgent if the agent of the guest cannot
     * @throws GuestException.Refused with {@link GuestFailure#OUT_OF_RESOURCES} beyond 256 streams of a guest, with {@link
     *     GuestFailure#NEEDS_IDENTITY} after {@link #quiesce}
     * @throws SpawnException.UnknownUser if the user of a path is none of the guest's
     */
    GuestStream dial(DialRequest request, Deadline deadline);

    /** Returns its files, used as root. */
    GuestFiles files();
}
