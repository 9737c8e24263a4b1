package dev.cloche.pool.provision;

import dev.cloche.base.ClocheException;
import dev.cloche.base.Deadline;
import dev.cloche.pool.WarmPool;
import dev.cloche.vm.Vm;
import java.time.Duration;
import java.util.Optional;

/**
 * Ends and removes VMs that this process owns; no failure of theirs, errors included, is thrown on. Safe for use from several
 * threads.
 */
public record Disposal(Duration within) {
    /** Ends and removes a VM; returns why it could not be removed, empty if it is gone. */
    Optional<String> of(Vm vm) {
        try {
            if (vm.state().live()) {
                var _ = vm.kill(Deadline.after(within));
            }
            vm.destroy();
            vm.close();
            return Optional.empty();
        } catch (Throwable e) {
            log("pool entry " + vm.id() + " resists", e);
            return Optional.of(ClocheException.sentenceOf(e));
        }
    }

    /** Closes a handle; what the close throws is not thrown on. */
    void letGo(Vm vm) {
        try {
            vm.close();
        } catch (Throwable e) {
            log("pool entry " + vm.id() + " is not let go", e);
        }
    }

    public static void log(String what, Throwable why) {
        System.Logger.Level level =
                why instanceof ClocheException ? System.Logger.Level.DEBUG : System.Logger.Level.WARNING;
        System.getLogger(WarmPool.class.getName()).log(level, what, why);
    }
}
