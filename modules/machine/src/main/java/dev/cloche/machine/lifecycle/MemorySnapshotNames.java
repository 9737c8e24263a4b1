package dev.cloche.machine.lifecycle;

import dev.cloche.machine.MachineName;
import dev.cloche.machine.PersistedMachine;
import dev.cloche.vm.SnapshotName;
import dev.cloche.vm.VmException;
import dev.cloche.vm.VmId;
import java.util.HexFormat;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Names the memory of machines among the snapshots of VMs: {@code machine-ID-KIND-REST}, where ID is that of the machine's VM. So
 * only its own machine finds it.
 */
public final class MemorySnapshotNames {
    private static final String SUSPENDED = "suspended-";
    private static final String PASSING = "passing-";
    private static final String KEPT = "kept-";
    private static final Pattern NAME = Pattern.compile("machine-(.+?)-(?:suspended|passing|kept)-.+");

    private MemorySnapshotNames() {}

    /** Returns what begins the names of everything that belongs to a machine. */
    private static String prefix(VmId id) {
        return "machine-" + id + "-";
    }

    /** Returns whether it is the memory of the machine that has this VM. An id may begin as another one does. */
    static boolean isOf(VmId id, SnapshotName name) {
        return isSuspension(id, name) || isPassing(id, name) || name.value().startsWith(prefix(id) + KEPT);
    }

    /** Returns the id in the name of the memory of some machine. */
    static Optional<VmId> idIn(SnapshotName name) {
        Matcher matcher = NAME.matcher(name.value());
        try {
            return matcher.matches() ? Optional.of(new VmId(matcher.group(1))) : Optional.empty();
        } catch (VmException.Invalid none) {
            return Optional.empty();
        }
    }

    /** Returns a new one of a suspension: the one before may still be held by the guest that was continued from it. */
    static SnapshotName suspended(PersistedMachine machine) {
        return new SnapshotName(prefix(machine.vmId()) + SUSPENDED + random());
    }

    /** One that is taken for its disk alone, and deleted at once. */
    static SnapshotName passing(PersistedMachine machine) {
        return new SnapshotName(prefix(machine.vmId()) + PASSING + random());
    }

    /** Returns the memory that belongs to a snapshot of a machine. */
    static SnapshotName kept(PersistedMachine machine, MachineName snapshot) {
        return new SnapshotName(prefix(machine.vmId()) + KEPT + snapshot);
    }

    public static boolean isSuspension(VmId id, SnapshotName name) {
        return name.value().startsWith(prefix(id) + SUSPENDED);
    }

    static boolean isPassing(VmId id, SnapshotName name) {
        return name.value().startsWith(prefix(id) + PASSING);
    }

    /** Returns the snapshot of a machine that this memory belongs to. */
    public static Optional<String> keptFor(VmId id, SnapshotName name) {
        String prefix = prefix(id) + KEPT;
        return name.value().startsWith(prefix)
                ? Optional.of(name.value().substring(prefix.length()))
                : Optional.empty();
    }

    private static String random() {
        return HexFormat.of().toHexDigits(ThreadLocalRandom.current().nextInt());
    }
}
