package dev.cloche.machine;

import dev.cloche.vm.SnapshotName;
import java.util.HexFormat;
import java.util.concurrent.ThreadLocalRandom;

/**
 * How the memory of machines is called among the snapshots of VMs: {@code machine-ID-KIND-REST}, where ID is that of the
 * machine's VM. So it is found by its machine, and by nobody else.
 */
final class MemoryNames {
    private MemoryNames() {}

    /** What begins the names of everything that belongs to a machine. */
    static String prefix(PersistedMachine machine) {
        return "machine-" + machine.vmId() + "-";
    }

    /** A new one of a suspension: the one before may still be held by the guest that was continued from it. */
    static SnapshotName suspended(PersistedMachine machine) {
        return new SnapshotName(prefix(machine) + "suspended-" + random());
    }

    /** One that is taken for its disk alone, and deleted at once. */
    static SnapshotName passing(PersistedMachine machine) {
        return new SnapshotName(prefix(machine) + "passing-" + random());
    }

    /** The memory that belongs to a snapshot of a machine. */
    static SnapshotName kept(PersistedMachine machine, MachineName snapshot) {
        return new SnapshotName(prefix(machine) + "kept-" + snapshot);
    }

    static boolean isSuspension(PersistedMachine machine, SnapshotName name) {
        return name.value().startsWith(prefix(machine) + "suspended-");
    }

    private static String random() {
        return HexFormat.of().toHexDigits(ThreadLocalRandom.current().nextInt());
    }
}
