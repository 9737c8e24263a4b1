package dev.cloche.sandbox;

/**
 * Says what a sweep has done.
 *
 * @param outcome whether there was one
 * @param examined how many sandboxes that are recorded as active it looked at
 * @param reconciled of how many of them it recorded the end
 * @param removed how many ephemeral sandboxes that had ended it removed
 * @param suspended how many sandboxes it suspended that their guards held at their deadlines
 * @param errors how many sandboxes resisted; they stay recorded, and are tried again
 * @param timedOut whether its time or a limit ended it; what remains is next
 */
public record MaintenanceReport(
        Outcome outcome, int examined, int reconciled, int removed, int suspended, int errors, boolean timedOut) {
    /** Says whether a sweep was made. */
    public enum Outcome {
        /** It was. */
        SWEPT,
        /** Another process makes one, or has made one within the window. */
        NOT_DUE,
        /** It failed as a whole, which the log tells; another process tries again soon. */
        FAILED
    }

    static MaintenanceReport notDue() {
        return new MaintenanceReport(Outcome.NOT_DUE, 0, 0, 0, 0, 0, false);
    }

    static MaintenanceReport failed() {
        return new MaintenanceReport(Outcome.FAILED, 0, 0, 0, 0, 1, false);
    }

    /** Returns the same with what became of sandboxes that were held. */
    MaintenanceReport withHeld(int nowSuspended, int resisting) {
        return new MaintenanceReport(
                outcome, examined, reconciled, removed, suspended + nowSuspended, errors + resisting, timedOut);
    }

    boolean didSomething() {
        return reconciled + removed > 0;
    }

    /** Adds another report to this one. */
    MaintenanceReport plus(MaintenanceReport later) {
        return new MaintenanceReport(
                outcome,
                examined + later.examined,
                reconciled + later.reconciled,
                removed + later.removed,
                suspended + later.suspended,
                errors + later.errors,
                later.timedOut);
    }
}
