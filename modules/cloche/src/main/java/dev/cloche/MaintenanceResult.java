package dev.cloche;

import dev.cloche.sandbox.MaintenanceReport;

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
 * @param suspended how many sandboxes were suspended that their guards held at their deadlines
 * @param machines of how many machines whose directories are gone the rest was removed: VM, memory, hold on an image
 * @param errors how many sandboxes resisted; they stay recorded, and are tried again
 * @param unfinished whether more remains to be done
 */
public record MaintenanceResult(
        boolean swept,
        int examined,
        int reconciled,
        int removed,
        int suspended,
        int machines,
        int errors,
        boolean unfinished) {
    static MaintenanceResult of(MaintenanceReport report, int machines) {
        return new MaintenanceResult(
                report.outcome() == MaintenanceReport.Outcome.SWEPT,
                report.examined(),
                report.reconciled(),
                report.removed(),
                report.suspended(),
                machines,
                report.errors(),
                report.timedOut());
    }
}
