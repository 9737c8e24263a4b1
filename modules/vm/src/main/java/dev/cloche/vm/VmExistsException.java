package dev.cloche.vm;

/** There is a VM of that id already. */
public final class VmExistsException extends VmException {
    public VmExistsException(VmId id) {
        super("vm.exists", "There is a VM " + id + " already", "Choose another id, or destroy that VM first.", null);
    }
}
