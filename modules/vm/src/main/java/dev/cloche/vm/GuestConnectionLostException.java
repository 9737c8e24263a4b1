package dev.cloche.vm;

import org.jspecify.annotations.Nullable;

/** The connection to the guest is closed: the VM has ended, the handle was closed, or the guest broke the protocol. */
public final class GuestConnectionLostException extends VmException {
    public GuestConnectionLostException(String sentence, @Nullable Throwable cause) {
        super("vm.connection-lost", sentence, "Look at how the VM ended.", cause);
    }
}
