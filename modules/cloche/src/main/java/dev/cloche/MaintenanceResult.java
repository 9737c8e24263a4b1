package dev.cloche;

import dev.cloche.machine.OrphanedMachine;
import dev.cloche.sandbox.MaintenanceReport;
import dev.cloche.sandbox.MaintenanceStep;

/**
 * What {@link Cloche#maintain()} has done.
 *
 * <pre>{@code
 * MaintenanceResult done = cloche.maintain();
 * if (done.errors() > 0) {
 *     System.err.println("some leftovers resist; the log has the reasons");
 * }
 * }</pre>
 *
 * @param swept false if another process was doing so just then, or it failed as a whole, which the log tells
 * @param examined how many sandboxes that are recorded as active were looked at
 * @param reconciled of how many of them the end was recorded
 * @param removed how many ephemeral sandboxes that had ended were removed
 * @param machines of how many machines whose directories are gone the rest was removed: VM, memory, hold on an image
 * @param errors how many sandboxes resisted; they stay recorded, and are tried again
 * @param unfinished whether more remains to be done
 */
public record MaintenanceResult(
        boolean swept, int examined, int reconciled, int removed, int machines, int errors, boolean unfinished) {
    /**
     * What would be done with one sandbox, or with what a machine has left.
     *
     * @param sandbox its name, or that of the machine
     * @param action {@code reconcile} (its end would be recorded), {@code end} (its end, which was asked for by a process that is
     *     gone, would be gone on with), {@code kill} (its VM, which nobody owns any more, would be ended), {@code wait} (that VM is left to its guard for a while) or {@code remove}
     * @param detail one sentence on why
     */
    public record Step(String sandbox, String action, String detail) {
        static Step of(MaintenanceStep step) {
            return new Step(step.sandbox(), Words.of(step.action()), step.detail());
        }

        static Step of(OrphanedMachine orphan) {
            return new Step(orphan.name().isEmpty() ? orphan.id().value() : orphan.name(), "remove", orphan.what());
        }
    }

    static MaintenanceResult of(MaintenanceReport report, int machines) {
        return new MaintenanceResult(
                report.outcome() == MaintenanceReport.Outcome.SWEPT,
                report.examined(),
                report.reconciled(),
                report.removed(),
                machines,
                report.errors(),
                report.timedOut());
    }
}
