package dev.cloche.vm;

import dev.cloche.base.Deadline;

/**
 * The inside of a running VM, as its agent serves it. Safe for use from several threads.
 *
 * <p>Every blocking call throws {@link GuestConnectionLostException} if the VM ends or the connection breaks, {@link
 * GuestProtocolException} if the guest broke the protocol (the connection is then closed for good), {@link
 * VmDeadlineException} when its deadline passes and {@link VmInterruptedException} when its thread is interrupted.
 */
public interface Guest {
    GuestHello hello();

    /** Returns when the agent has answered. */
    void ping(Deadline deadline);

    /**
     * Gives the guest a new identity, all of it in one frame.
     *
     * @throws GuestRefusedException if the agent could not apply it
     */
    void configure(GuestIdentity identity, Deadline deadline);

    /**
     * Starts a program and returns when it runs.
     *
     * <p>If the deadline passes or the thread is interrupted before the guest has answered, the execution is killed as
     * soon as it turns out to have started.
     *
     * @throws SpawnException if it cannot be started; its subclasses say why
     * @throws GuestRefusedException if the agent refuses the request for another reason
     */
    GuestExecution exec(ExecRequest request, Deadline deadline);

    /** Its files, used as root. */
    GuestFiles files();
}
