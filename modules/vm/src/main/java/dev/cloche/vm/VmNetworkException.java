package dev.cloche.vm;

/** The network of a VM did not come up, and no port is to blame. */
public final class VmNetworkException extends VmException {
    /** @param log the end of what passt says, harmless to show */
    public VmNetworkException(VmId id, String log) {
        super(
                "vm.network",
                "The network of VM " + id + " did not come up"
                        + (log.isBlank() ? "" : ". passt says: " + log.strip().replace('\n', ' ')),
                "See that this host has an IPv4 default route, and that passt runs here.",
                null);
    }
}
