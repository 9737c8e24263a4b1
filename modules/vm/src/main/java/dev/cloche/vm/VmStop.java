package dev.cloche.vm;

import dev.cloche.base.ClocheException;
import dev.cloche.base.Deadline;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** Stops a VM of any process: asks its guest to end, and kills it if it does not, or does not answer. */
record VmStop(VmProvider vms, VmId id, Duration grace) {
    private static final Duration KILL_LIMIT = Duration.ofSeconds(30);
    /** What a guest on a host that is far too busy has at least for its first answer. */
    private static final Duration LEAST_PATIENCE = Duration.ofSeconds(10);
    /** Beyond which its guard ends it, for a process that does not live to do so. */
    private static final Duration SLACK = Duration.ofSeconds(30);

    private static final long LOOK_AGAIN_MILLIS = 200;

    /** Does what {@link VmProvider#stop} promises. */
    VmExit run(Deadline deadline) {
        Duration patience = grace.compareTo(LEAST_PATIENCE) < 0 ? LEAST_PATIENCE : grace;
        try {
            vms.endWithin(id, patience.plus(grace).plus(SLACK));
            try (Vm vm = connect(deadline.orAfter(patience))) {
                return vm.stop(grace, deadline);
            }
        } catch (VmException.NotFound | VmException.WrongState | VmException.Interrupted noReasonToKill) {
            throw noReasonToKill;
        } catch (ClocheException deaf) {
            // Its guest does not answer, which is no reason to let it live; nor is that this took all of the time.
            return vms.kill(id, Deadline.after(KILL_LIMIT));
        }
    }

    /** A guest that is halted for a full disk may go on in time. */
    private Vm connect(Deadline patience) {
        while (true) {
            try {
                return vms.connect(id, patience);
            } catch (VmException.Hindered hindered) {
                if (patience.passed()) {
                    throw hindered;
                }
                pause();
            }
        }
    }

    private void pause() {
        try {
            TimeUnit.MILLISECONDS.sleep(LOOK_AGAIN_MILLIS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new VmException.Interrupted("the stop of VM " + id);
        }
    }
}
