package dev.cloche.machine;

import dev.cloche.vm.VmInfo;
import java.util.Optional;

/** What is to be done with a machine whose file and whose VM are held against each other. Pure. */
sealed interface Settlement {
    /** The file is true. */
    record Nothing() implements Settlement {}

    /** Its VM runs, as the file says: whoever looked after it may be gone. */
    record Adopt() implements Settlement {}

    /** Its VM runs although the file says that it was stopped: whoever was at that is gone. */
    record FinishStop() implements Settlement {}

    /** Its VM has ended, and it stays so. */
    record Settle(Ending ending) implements Settlement {}

    /** Its VM has ended, and its policy is to start it again. */
    record Restart(String why) implements Settlement {}

    static Settlement of(PersistedMachine machine, Optional<VmInfo> vm) {
        boolean runs = vm.filter(info -> info.state().live()).isPresent();
        if (!machine.needsRecovery()) {
            return runs ? new FinishStop() : new Nothing();
        }
        if (runs) {
            return new Adopt();
        }
        Ending ending = vm.flatMap(VmInfo::exit).map(Ending::unasked).orElse(Ending.GONE);
        return machine.settings().restartPolicy().restarts(ending.failed())
                ? new Restart(ending.how())
                : new Settle(ending);
    }
}
