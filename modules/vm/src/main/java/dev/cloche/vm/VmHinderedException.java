package dev.cloche.vm;

/** A VM that lives cannot do what was asked at present. What its guest has begun is not lost. */
public final class VmHinderedException extends VmException {
    private final VmHindrance hindrance;

    public VmHinderedException(VmId id, VmHindrance hindrance) {
        super(code(hindrance), sentence(id, hindrance), hindrance.remedy(), null);
        this.hindrance = hindrance;
    }

    public VmHindrance hindrance() {
        return hindrance;
    }

    private static String code(VmHindrance hindrance) {
        return switch (hindrance) {
            case DISK_FULL -> "vm.disk-full";
            case DISK_ERROR -> "vm.disk-error";
            case SILENT -> "vm.silent";
        };
    }

    private static String sentence(VmId id, VmHindrance hindrance) {
        return switch (hindrance) {
            case DISK_FULL -> "The host's disk is full, and VM " + id + " is halted until there is space";
            case DISK_ERROR -> "The host failed to write to the disk of VM " + id + ", which is halted";
            case SILENT -> "The program that runs VM " + id + " does not answer";
        };
    }
}
