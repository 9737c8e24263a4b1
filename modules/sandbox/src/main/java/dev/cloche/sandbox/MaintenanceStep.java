package dev.cloche.sandbox;

/**
 * Says what a sweep would do with one sandbox.
 *
 * @param detail one sentence for people
 */
public record MaintenanceStep(String sandbox, Action action, String detail) {
    /** The kinds of steps. */
    public enum Action {
        /** Record its end, or finish or take back its suspension. */
        RECONCILE,
        /** Go on with its end, which was asked for and which no process brings about any more. */
        END,
        /** End its VM, which no process owns any more, and record its end. */
        KILL,
        /** Leave its VM, which no process owns any more, to its guard for a while. */
        WAIT,
        /** Suspend it, which its guard has halted at its deadline. */
        SUSPEND,
        /** Remove it, because it is ephemeral and has ended. */
        REMOVE
    }
}
