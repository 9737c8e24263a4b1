package dev.cloche.vm;

/** Waits for a new identity that was sent to a guest. What is sent after it takes effect after it. */
@FunctionalInterface
public interface PendingIdentity {
    /**
     * Waits until the identity is in force, at most until the deadline that was given when it was sent.
     *
     * @throws GuestException.Refused if the agent could not apply it
     */
    void await();
}
