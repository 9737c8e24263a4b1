package dev.cloche.sandbox.reconcile;

import dev.cloche.base.ClocheException;
import dev.cloche.sandbox.lifecycle.SandboxContext;
import dev.cloche.sandbox.warm.TemplateRequest;
import java.lang.System.Logger.Level;

/**
 * Removes orphaned holds: what killed makers of templates and of pools leave, which is no sandbox's. What resists is
 * left for the next sweep.
 */
record OrphanedHolds(SandboxContext context) {
    void remove() {
        try {
            context.images().holders(TemplateRequest.HOLDER_KIND).stream()
                    .filter(holder -> !TemplateRequest.isHeldByTheLiving(holder))
                    .forEach(context.images()::release);
            context.launcher().warm().shelf().sweep();
        } catch (ClocheException resists) {
            System.getLogger(OrphanedHolds.class.getName())
                    .log(Level.WARNING, "what makers of templates or pools have left stays", resists);
        }
    }
}
