package dev.cloche.qemu.snapshot;

import dev.cloche.base.FileStamp;
import dev.cloche.linux.KvmCapabilities;
import dev.cloche.linux.SystemCallException;
import dev.cloche.qemu.KernelProperties;
import dev.cloche.qemu.VmResources;
import dev.cloche.qemu.disk.QemuImage;
import dev.cloche.qemu.guard.PrivateFiles;
import dev.cloche.qemu.host.CpuModel;
import dev.cloche.qemu.host.FileDigests;
import dev.cloche.qemu.host.HostCapabilities;
import dev.cloche.qemu.host.HostCpu;
import dev.cloche.qemu.host.HostProbe;
import dev.cloche.qemu.launch.QemuCommand;
import dev.cloche.vm.Accelerator;
import dev.cloche.vm.RootDisk;
import dev.cloche.vm.VmCapabilities;
import dev.cloche.vm.VmSpec;
import dev.cloche.vm.WritableLayer;
import dev.cloche.vmm.FlatJson;
import dev.cloche.vmm.JsonFields;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.NavigableSet;
import java.util.TreeMap;

/**
 * Records what a VM runs on, in its directory, when it starts: a snapshot that is taken later, perhaps by a newer program,
 * is of this and not of what is installed then. Files are recorded by their stamps, which costs no reading.
 *
 * @param fields by the names of {@link SnapshotKey}; those in {@link #FILES} hold paths and stamps
 */
public record PlatformRecord(NavigableMap<String, String> fields) {
    /** Fields that a key has by digest. */
    static final List<String> FILES = List.of("qemuBinary", "kernel", "initramfs");

    private static final String FILE = "machine.json";
    private static final long VERSION = 1;
    private static final int OFFER_DIGITS = 16;

    public PlatformRecord {
        fields = Collections.unmodifiableNavigableMap(new TreeMap<>(fields));
    }

    public static PlatformRecord of(VmSpec spec, VmResources resources, HostCapabilities host) throws IOException {
        NavigableMap<String, String> fields = new TreeMap<>();
        KernelProperties kernel = resources.kernel().properties();
        VmCapabilities capabilities = host.capabilities();
        fields.put("qemu", capabilities.version());
        fields.put("qemuBinary", stamp(resources.qemu()));
        fields.put("kernel", stamp(resources.kernel().kernel()));
        fields.put("initramfs", stamp(resources.kernel().initramfs()));
        fields.put("kernelParameters", QemuCommand.parameters(kernel, host.accelerator()));
        fields.put("accelerator", capabilities.accelerator().name());
        fields.put("cpuModel", String.join(" ", CpuModel.arguments(capabilities.accelerator(), capabilities.cpu())));
        fields.put("hostCpu", HostCpu.read(HostCpu.DESCRIPTION).key());
        if (host.accelerator() == Accelerator.KVM) {
            fields.put("hostKvm", offer());
        }
        host.counterKiloHertz().ifPresent(khz -> fields.put(SnapshotKey.COUNTER, String.valueOf(khz)));
        fields.put("machine", QemuCommand.machine(kernel, host.accelerator()));
        fields.put("memoryMiB", String.valueOf(spec.memoryMiB()));
        fields.put("cpus", String.valueOf(spec.cpus()));
        fields.put("rootDisk", contents(spec.rootDisk()));
        fields.put("writable", spec.writable() instanceof WritableLayer.InMemory ? "memory" : "disk");
        return new PlatformRecord(fields);
    }

    /** Returns the key of a machine with these ports of clients; a file that is not as it was is an error. */
    SnapshotKey key(VmSpec spec, NavigableSet<Integer> ports, FileDigests digests) throws IOException {
        NavigableMap<String, String> key = new TreeMap<>(fields);
        for (String name : FILES) {
            String recorded = fields.getOrDefault(name, "");
            int end = recorded.lastIndexOf(' ');
            Path path = Path.of(recorded.substring(0, Math.max(end, 0)));
            if (!recorded.equals(stamp(path))) {
                throw new IOException(path + " was replaced since the VM started");
            }
            key.put(name, digests.of(path));
        }
        key.put("devices", String.join(" ", QemuCommand.devices(spec, ports)));
        return new SnapshotKey(key);
    }

    public void write(Path directory) throws IOException {
        Map<String, Object> json = new TreeMap<>(fields);
        json.put("version", VERSION);
        PrivateFiles.write(directory.resolve(FILE), FlatJson.write(json));
    }

    static PlatformRecord read(Path directory) throws IOException {
        NavigableMap<String, String> fields = new TreeMap<>();
        JsonFields.read(directory.resolve(FILE), VERSION).all().forEach((name, value) -> {
            if (value instanceof String text) {
                fields.put(name, text);
            }
        });
        return new PlatformRecord(fields);
    }

    /** What KVM offers here changes with the host's kernel; a restored guest would use what is gone. */
    private static String offer() {
        try {
            return offer(KvmCapabilities.read(HostProbe.KVM));
        } catch (SystemCallException e) {
            // Narrower: it changes with every update of the host's kernel.
            return "Linux " + System.getProperty("os.version", "");
        }
    }

    public static String offer(List<String> lines) {
        byte[] bytes = String.join("\n", lines).getBytes(StandardCharsets.US_ASCII);
        return FileDigests.sha256(bytes).substring(0, OFFER_DIGITS);
    }

    private static String stamp(Path path) throws IOException {
        Path real = path.toRealPath();
        return real + " " + FileStamp.of(real).state();
    }

    /** By the name that its contents have; without one, by the file and, of a descriptor, all that it strings together. */
    private static String contents(RootDisk disk) throws IOException {
        if (disk.contents().isPresent()) {
            return disk.format() + " " + disk.contents().get();
        }
        List<String> stamps = new ArrayList<>();
        for (Path file : new QemuImage(disk).files()) {
            stamps.add(stamp(file));
        }
        String all = String.join(" ", stamps);
        return disk.format() + " " + FileDigests.sha256(all.getBytes(StandardCharsets.UTF_8));
    }
}
