package dev.cloche.vm;

import org.jspecify.annotations.Nullable;

/** The program that runs a VM did not do what it was told through its control socket. */
public final class VmMonitorException extends VmException {
    public VmMonitorException(String sentence, @Nullable Throwable cause) {
        super("vm.monitor", sentence, "Kill the VM if it does not react.", cause);
    }
}
