package dev.cloche.vm;

import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.TreeSet;

/**
 * How QEMU is started for a VM, beside what its spec says.
 *
 * @param ram where the guest's memory is
 * @param ports those of clients that are plugged in from the start, because the snapshot has them
 * @param incoming whether the state comes from a snapshot
 * @param hold a lock that the guard shares as long as the VM lives
 * @param disk the top of the writable disk's chain
 * @param network passt's command line; empty without a network
 */
record QemuLaunch(
        Ram ram,
        NavigableSet<Integer> ports,
        boolean incoming,
        Optional<Path> hold,
        Optional<Path> disk,
        List<String> network) {
    /** Where a guest's memory is. QEMU calls its block the same in each case, so a stream fits all. */
    sealed interface Ram {
        /** In memory of the process's own. */
        record Anonymous() implements Ram {}

        /** In a file, which it fills: for the maker of a template. */
        record Shared(Path file) implements Ram {}

        /** In memory that begins as a copy of a file, page by page as it is written to. */
        record Private(Path file) implements Ram {}
    }

    QemuLaunch {
        network = List.copyOf(network);
        ports = Collections.unmodifiableNavigableSet(new TreeSet<>(ports));
    }

    static QemuLaunch boot(Ram ram, Optional<Path> disk) {
        return new QemuLaunch(ram, new TreeSet<>(), false, Optional.empty(), disk, List.of());
    }

    QemuLaunch withNetwork(List<String> passt) {
        return new QemuLaunch(ram, ports, incoming, hold, disk, passt);
    }
}
