package dev.cloche.qemu.launch;

import dev.cloche.base.EnumNames;
import dev.cloche.qemu.VmLayout;
import dev.cloche.qemu.VmResources;
import dev.cloche.qemu.guard.VmClaims;
import dev.cloche.qemu.host.GroupOptions;
import dev.cloche.qemu.host.HostProbe;
import dev.cloche.vm.Accelerator;
import dev.cloche.vm.Isolation;
import dev.cloche.vm.VmLimits;
import dev.cloche.vm.VmSpec;
import dev.cloche.vm.WritableLayer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Describes the walls that a guard builds around QEMU: what it is granted, and its limits. Each file that QEMU is to open stands here;
 * see docs/guard.md. Pure.
 *
 * @param least the least that is accepted
 * @param alarmEnds whether the first call that QEMU is refused ends its VM
 * @param group where its control group is made
 * @param image the files of the disk that the VM boots from
 */
public record QemuJail(Isolation least, boolean alarmEnds, VmLimits.Group group, List<Path> image) {
    /** Of QEMU's translations of a guest's code, which may have an eighth of the host's memory otherwise, up to 1 GiB. */
    static final int TRANSLATIONS_MIB = VmClaims.TRANSLATIONS_MIB;

    /** Libraries, stacks and what QEMU takes for itself, much of it never touched. */
    private static final int OTHER_MIB = 4096;

    private static final int SLACK_MIB = 64;

    /** Of QEMU itself, of the guard's helpers, and of the cache of its disk, which the kernel takes back. */
    private static final int PROGRAMS_MIB = 96;

    /** Of passt. */
    private static final int NETWORK_MIB = 20;

    private static final int TABLES_PART = 128;

    /** Of the guard's helpers, and of passt. */
    private static final int HELPERS = 16;

    /** The kernel's usual weight, and its greatest. */
    private static final int WEIGHT_OF_ONE = 100;

    private static final int MOST_WEIGHT = 10_000;

    /** Of QEMU's pools and of its own, beside those of the processors. */
    private static final int THREADS = 96;

    /** What a qcow2 takes for itself is a smaller part of what it holds. */
    private static final int METADATA_PART = 256;

    public QemuJail {
        image = List.copyOf(image);
    }

    List<String> options(
            VmSpec spec, VmLayout layout, VmResources resources, Accelerator accelerator, QemuLaunch launch) {
        List<String> out = new ArrayList<>(List.of("--isolation", EnumNames.of(least)));
        if (alarmEnds) {
            out.addAll(List.of("--on-alarm", "stop"));
        }
        image.forEach(file -> add(out, "--read", file));
        add(out, "--begin", resources.kernel().kernel());
        add(out, "--begin", resources.kernel().initramfs());
        switch (launch.ram()) {
            case QemuLaunch.Ram.Anonymous _ -> {}
            case QemuLaunch.Ram.Shared(Path file) -> add(out, "--write", file);
            case QemuLaunch.Ram.Private(Path file) -> add(out, "--copy", file);
        }
        launch.disk().ifPresent(disk -> add(out, "--layers", disk.layers().top().resolveSibling("")));
        add(out, "--sockets", layout.runtimeDirectory().resolve(spec.id().value()));
        if (accelerator == Accelerator.KVM) {
            add(out, "--begin", HostProbe.KVM);
            // What QEMU calls with KVM was recorded nowhere yet.
            out.addAll(List.of("--unknown-calls", "record"));
        }
        limit(out, "--address-bytes", spec.memoryMiB() + TRANSLATIONS_MIB + OTHER_MIB);
        if (!(spec.writable() instanceof WritableLayer.Persistent)) {
            // One that outlives its VM may grow while it runs.
            limit(out, "--file-bytes", fileMiB(spec));
        }
        out.addAll(List.of("--threads", String.valueOf(THREADS + spec.cpus())));
        out.addAll(groupOptions(spec, accelerator));
        return List.copyOf(out);
    }

    /** The tables by which processors find a guest's memory are a part of that; where KVM finds it by two, each is half of it. */
    private List<String> groupOptions(VmSpec spec, Accelerator accelerator) {
        List<String> out = new ArrayList<>(GroupOptions.of(group));
        if (out.isEmpty()) {
            return out;
        }
        long ram = spec.memoryMiB();
        long memory = ram
                + ram / TABLES_PART
                + PROGRAMS_MIB
                + (accelerator == Accelerator.KVM ? 0 : TRANSLATIONS_MIB)
                + (spec.hasNetwork() ? NETWORK_MIB : 0);
        limit(out, "--group-memory", memory);
        out.addAll(List.of("--group-tasks", String.valueOf(THREADS + spec.cpus() + HELPERS)));
        // A VM has its processors' share, however many threads a broken QEMU makes.
        int weight = Math.min(WEIGHT_OF_ONE * spec.cpus(), MOST_WEIGHT);
        out.addAll(List.of("--group-weight", String.valueOf(weight)));
        return out;
    }

    private static long fileMiB(VmSpec spec) {
        long disk = spec.writable() instanceof WritableLayer.Disk(int sizeMiB) ? sizeMiB + sizeMiB / METADATA_PART : 0;
        return Math.max(disk, spec.memoryMiB()) + SLACK_MIB;
    }

    private static void limit(List<String> out, String option, long mebibytes) {
        out.addAll(List.of(option, String.valueOf(mebibytes << 20)));
    }

    /** By the name by which QEMU asks for it, but for what means nothing in it. */
    private static void add(List<String> out, String option, Path path) {
        out.addAll(List.of(option, path.normalize().toString()));
    }
}
