package dev.cloche.qemu.launch;

import dev.cloche.qemu.disk.DiskLayers;
import dev.cloche.vmm.disk.DiskDirectory;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.TreeSet;

/**
 * Says how QEMU is started for a VM, beside what its spec says.
 *
 * @param ram where the guest's memory is
 * @param ports those of clients that are plugged in from the start, because the snapshot has them
 * @param incoming whether the state comes from a snapshot
 * @param hold a lock that the guard shares as long as the VM lives
 * @param disk the writable disk
 * @param network passt's command line; empty without a network
 */
public record QemuLaunch(
        Ram ram,
        NavigableSet<Integer> ports,
        boolean incoming,
        Optional<Path> hold,
        Optional<Disk> disk,
        List<String> network) {
    /**
     * Describes the writable disk.
     *
     * @param persistent where it is, if it outlives the VM
     */
    public record Disk(DiskLayers layers, Optional<DiskDirectory> persistent) {
        /** Returns one that ends with the VM. */
        public static Disk ofTheVm(DiskLayers layers) {
            return new Disk(layers, Optional.empty());
        }
    }

    /** Says where a guest's memory is. QEMU calls its block the same in each case, so a stream fits all. */
    public sealed interface Ram {
        /** In memory of the process's own. */
        record Anonymous() implements Ram {}

        /** In a file, which it fills: for the maker of a template. */
        record Shared(Path file) implements Ram {}

        /** In memory that begins as a copy of a file, page by page as it is written to. */
        record Private(Path file) implements Ram {}
    }

    public QemuLaunch {
        network = List.copyOf(network);
        ports = Collections.unmodifiableNavigableSet(new TreeSet<>(ports));
    }

    public static QemuLaunch boot(Ram ram, Optional<Disk> disk) {
        return new QemuLaunch(ram, new TreeSet<>(), false, Optional.empty(), disk, List.of());
    }

    public QemuLaunch withNetwork(List<String> passt) {
        return new QemuLaunch(ram, ports, incoming, hold, disk, passt);
    }
}
