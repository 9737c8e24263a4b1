package dev.cloche.vm;

/**
 * The guest sent what the protocol does not allow. The host closes the connection, because a guest that does so once is
 * broken or hostile.
 */
public final class GuestProtocolException extends VmException {
    public GuestProtocolException(String sentence) {
        super(
                "vm.protocol",
                "The guest broke the protocol: " + sentence,
                "Kill the VM; do not trust its output.",
                null);
    }
}
