package dev.cloche;

import dev.cloche.vm.VmIsolation;

/** Names what a host may lack and sandboxes still run: an operator may want it nevertheless. */
public enum HostRequirement {
    /** Guests run on the processor, by KVM, and not by emulation. */
    KVM,
    /** QEMU is behind a filter of system calls, and opens only the files of its VM. */
    SEALED,
    /** And in namespaces of its own. */
    FULL,
    /** Each VM is in a control group, which bounds its memory, its processes and its processor time. */
    GROUPS,
    /** Guests can have a network. */
    NETWORK,
    /** Guests can have disks. */
    DISKS;

    /** Returns whether walls of this level are enough; any are, for what is no level. */
    boolean holds(VmIsolation.Level level) {
        return switch (this) {
            case SEALED -> level.compareTo(VmIsolation.Level.SEALED) >= 0;
            case FULL -> level == VmIsolation.Level.FULL;
            case KVM, GROUPS, NETWORK, DISKS -> true;
        };
    }
}
