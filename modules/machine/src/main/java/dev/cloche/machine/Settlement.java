package dev.cloche.machine;

import dev.cloche.vm.ExitStatus;
import dev.cloche.vm.VmExit;
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

    /** Its VM has ended, and it stays so; without an error if its guest powered off. */
    record Settle(Optional<String> error) implements Settlement {}

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
        Optional<VmExit> exit = vm.flatMap(VmInfo::exit);
        boolean failed = exit.map(Settlement::failed).orElse(true);
        String why = exit.map(Settlement::describe).orElse("its host went down, or its VM was removed");
        if (machine.settings().restartPolicy().restarts(failed)) {
            return new Restart(why);
        }
        return new Settle(failed ? Optional.of(why) : Optional.empty());
    }

    private static boolean failed(VmExit exit) {
        return switch (exit.cause()) {
            case EXITED, GUARD_LOST -> exit.crashed() || initFailed(exit).isPresent();
            case STOPPED -> false;
            case KILLED, MAX_DURATION, POOL_AGE, OWNER_GONE, NETWORK_ENDED -> true;
        };
    }

    /** The main execution of a machine is its init; one that ends well, or by reboot(2), has powered off. */
    private static Optional<ExitStatus> initFailed(VmExit exit) {
        return exit.mainExit().filter(status -> !status.success());
    }

    private static String describe(VmExit exit) {
        return switch (exit.cause()) {
            case EXITED ->
                initFailed(exit)
                        .map(status -> "its init ended with " + status.shellCode())
                        .orElse(exit.crashed() ? "its guest ended without a word" : "its guest powered off");
            case STOPPED -> "it was shut down";
            case KILLED -> "its VM was killed";
            case NETWORK_ENDED -> "the program of its network ended";
            case GUARD_LOST -> "the guard of its VM was killed";
            case MAX_DURATION, POOL_AGE, OWNER_GONE -> "its VM reached a limit";
        };
    }
}
