package dev.cloche;

import dev.cloche.machine.RunningMachine;
import dev.cloche.sandbox.RunningSandbox;
import dev.cloche.vm.GuestFiles;
import dev.cloche.vm.VmException;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * What commands and files are in: a sandbox or a machine.
 *
 * @param guestFiles its guest's, used as root
 * @param ending what a lost connection to its guest means
 */
record GuestOwner(Supplier<GuestFiles> guestFiles, Function<VmException, RuntimeException> ending) {
    static GuestOwner of(RunningSandbox sandbox) {
        return new GuestOwner(sandbox::files, sandbox::ended);
    }

    static GuestOwner of(RunningMachine machine) {
        return new GuestOwner(machine::files, machine::ended);
    }

    GuestFiles files() {
        return guestFiles.get();
    }

    RuntimeException ended(VmException lost) {
        return ending.apply(lost);
    }
}
