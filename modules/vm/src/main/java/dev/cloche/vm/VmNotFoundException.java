package dev.cloche.vm;

/** There is no VM of that id. */
public final class VmNotFoundException extends VmException {
    public VmNotFoundException(VmId id) {
        super("vm.not-found", "There is no VM " + id, "List the VMs that exist.", null);
    }
}
