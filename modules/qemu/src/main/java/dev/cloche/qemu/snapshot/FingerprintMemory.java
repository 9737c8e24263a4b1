package dev.cloche.qemu.snapshot;

import dev.cloche.base.FileStamp;
import dev.cloche.qemu.VmResources;
import dev.cloche.qemu.host.HostCapabilities;
import dev.cloche.qemu.launch.QemuCommand;
import dev.cloche.vm.RootDisk;
import dev.cloche.vm.VmSpec;
import dev.cloche.vm.WritableLayer;
import java.io.IOException;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Remembers the fingerprints of VMs whose disks have names: every start from a pool asks for one. What it depends on besides is
 * the host, which stays as it is until its next boot, and three files, whose stamps tell. Safe for use from several threads.
 */
final class FingerprintMemory {
    /** More shapes than one application starts; when it is exceeded, the table begins anew. */
    private static final int MAX_ENTRIES = 64;

    /** Computes a fingerprint. */
    interface Computation {
        String get() throws IOException;
    }

    /**
     * Has all that a fingerprint depends on and that can change while this process runs.
     *
     * @param contents of the disk
     * @param files the stamps of what the VM is run by, through links
     */
    private record Inputs(
            RootDisk.Format format,
            String contents,
            int memoryMiB,
            int cpus,
            boolean inMemory,
            List<String> devices,
            HostCapabilities host,
            List<FileStamp> files) {}

    private final Map<Inputs, String> known = new ConcurrentHashMap<>();

    /** Returns the fingerprint of a VM, computed unless nothing has changed since it was asked for last. */
    String of(VmSpec spec, VmResources resources, HostCapabilities host, Computation computation) throws IOException {
        Optional<String> contents = spec.rootDisk().contents();
        if (contents.isEmpty()) {
            return computation.get();
        }
        Inputs inputs = new Inputs(
                spec.rootDisk().format(),
                contents.get(),
                spec.memoryMiB(),
                spec.cpus(),
                spec.writable() instanceof WritableLayer.InMemory,
                QemuCommand.devices(spec, Collections.emptyNavigableSet()),
                host,
                List.of(
                        FileStamp.of(resources.qemu()),
                        FileStamp.of(resources.kernel().kernel()),
                        FileStamp.of(resources.kernel().initramfs())));
        String remembered = known.get(inputs);
        if (remembered != null) {
            return remembered;
        }
        // The stamps are older than what is computed now: a file that is replaced meanwhile is computed again next
        // time.
        String computed = computation.get();
        if (known.size() >= MAX_ENTRIES) {
            known.clear();
        }
        known.put(inputs, computed);
        return computed;
    }
}
