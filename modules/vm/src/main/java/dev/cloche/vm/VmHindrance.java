package dev.cloche.vm;

/** Why a VM that lives does not work at present, as its guard found out (docs/guard.md). */
public enum VmHindrance {
    /** The host has no space for what its guest writes; the guest is halted, and goes on when there is some. */
    DISK_FULL,
    /** The host failed to write to its disk for another reason; the guest is halted until it is resumed. */
    DISK_ERROR,
    /** It has come to its limit, and is halted in place of its end, for a day at most ({@link VmProvider#haltAtLimit}). */
    HELD,
    /** The program that runs it has not answered its guard for a long time. */
    SILENT;

    /** Returns what to do about it. */
    public String remedy() {
        return switch (this) {
            case DISK_FULL ->
                "Free 256 MiB on the disk of the state root, or 5 % of a small one: the guest then goes on by itself.";
            case DISK_ERROR -> "Look after the disk of the state root, then resume it.";
            case HELD -> "Extend its deadline, suspend it or stop it; a day after its deadline it is ended.";
            case SILENT -> "Wait if the host is overloaded; otherwise stop or kill it.";
        };
    }
}
