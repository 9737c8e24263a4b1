package dev.cloche.qemu.launch;

import dev.cloche.linux.DiskReserve;
import dev.cloche.qemu.KernelImage;
import dev.cloche.qemu.KernelProperties;
import dev.cloche.qemu.VmLayout;
import dev.cloche.qemu.VmResources;
import dev.cloche.qemu.disk.DiskThrottle;
import dev.cloche.qemu.disk.QemuImage;
import dev.cloche.qemu.host.HostCapabilities;
import dev.cloche.qemu.host.ProbeRun;
import dev.cloche.qemu.qmp.ClientPort;
import dev.cloche.vm.Accelerator;
import dev.cloche.vm.UserNetwork;
import dev.cloche.vm.VmId;
import dev.cloche.vm.VmSpec;
import dev.cloche.vm.WritableLayer;
import dev.cloche.vmm.disk.DiskDirectory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.NavigableSet;
import java.util.OptionalLong;

/** The guard's and QEMU's command lines; see docs/vm.md and docs/guard.md. Pure; an argument list, never a shell's. */
public final class QemuCommand {
    /** What a process still waits for is begun again sooner than what was left alone; entries of pools come before both. */
    private static final String OOM_ATTACHED = "500";

    private static final String OOM_DETACHED = "300";

    private static final int GOODBYE = 3;
    private static final int FIRST_SOCKET = 4;

    /**
     * The host's kernel would merge equal pages of guests, and the time that a write then takes tells one what is in another. A
     * guest sees no difference, so it is no part of the key of snapshots.
     */
    private static final String UNSHARED = ",mem-merge=off";

    private static final String KERNEL_PARAMETERS =
            "console=ttyS0 quiet panic=-1 reboot=t rdinit=/init cryptomgr.notests";

    /**
     * Without it a kernel with one processor takes the locks off its atomic instructions: under emulation that costs more
     * than it saves, on a processor each of them would keep its lock.
     */
    private static final String OF_EMULATION = "noreplace-smp";

    private QemuCommand() {}

    /** Returns the guard's command line, with QEMU's in it. */
    public static List<String> guarded(
            VmSpec spec,
            VmLayout layout,
            VmResources resources,
            HostCapabilities host,
            QemuJail jail,
            QemuLaunch launch) {
        VmId id = spec.id();
        List<String> out = new ArrayList<>();
        add(out, resources.guard().toString(), "--dir", layout.directory(id).toString());
        add(out, "--listen", layout.monitorSocket(id).toString());
        add(out, "--listen", layout.portSocket(id, 0).toString());
        launch.ports()
                .forEach(
                        port -> add(out, "--listen", layout.portSocket(id, port).toString()));
        add(out, "--ports", layout.portSocket(id, VmLayout.FORWARDER).toString());
        // What is locked is spared by those who clean temporary files.
        add(out, "--hold", layout.runtimeDirectory().toString());
        resources.origin().hold().ifPresent(lock -> add(out, "--hold", lock.toString()));
        launch.hold().ifPresent(lock -> add(out, "--hold", lock.toString()));
        launch.disk()
                .flatMap(QemuLaunch.Disk::persistent)
                .ifPresent(disk -> add(out, "--own", disk.useLock().toString()));
        add(out, "--monitor", diskDirectory(layout.directory(id), launch).toString());
        add(out, "--reserve", DiskReserve.in(layout.stateRoot()).file().toString());
        spec.maxDuration().ifPresent(limit -> add(out, "--max-duration-ms", String.valueOf(limit.toMillis())));
        add(out, "--oom-score", spec.attached() ? OOM_ATTACHED : OOM_DETACHED);
        add(out, "--owner-grace-ms", String.valueOf(spec.ownerGrace().toMillis()));
        spec.outputLogBytes().ifPresent(bytes -> add(out, "--output-log-bytes", String.valueOf(bytes)));
        if (spec.hasNetwork()) {
            add(out, "--network-mac", UserNetwork.mac(id));
        }
        launch.network().forEach(argument -> add(out, "--network", argument));
        out.addAll(jail.options(spec, layout, resources, host.accelerator(), launch));
        out.add("--");
        out.addAll(qemu(spec, resources, host, launch));
        return List.copyOf(out);
    }

    /** Whose file system the guard watches when there is no space on it. */
    private static Path diskDirectory(Path vm, QemuLaunch launch) {
        return launch.disk()
                .flatMap(QemuLaunch.Disk::persistent)
                .map(DiskDirectory::path)
                .orElse(vm);
    }

    private static List<String> qemu(VmSpec spec, VmResources resources, HostCapabilities host, QemuLaunch launch) {
        List<String> out = new ArrayList<>();
        out.add(resources.qemu().toString());
        KernelImage kernel = resources.kernel();
        add(out, "-M", machine(kernel.properties(), host.accelerator()) + ",memory-backend=ram" + UNSHARED);
        add(out, "-nodefaults", "-no-user-config", "-display", "none", "-no-reboot");
        add(
                out,
                "-accel",
                accelerator(host.accelerator()),
                "-cpu",
                host.capabilities().cpu());
        add(out, "-m", String.valueOf(spec.memoryMiB()), "-smp", String.valueOf(spec.cpus()));
        add(out, "-object", memory(launch.ram(), spec.memoryMiB()));
        add(
                out,
                "-kernel",
                kernel.kernel().toString(),
                "-initrd",
                kernel.initramfs().toString());
        add(out, "-append", append(kernel.properties(), host), "-sandbox", ProbeRun.SANDBOX);
        add(out, "-chardev", "stdio,id=console,signal=off", "-serial", "chardev:console");
        add(out, "-chardev", socket("qmp", FIRST_SOCKET), "-mon", "chardev=qmp,mode=control");
        out.addAll(new QemuImage(spec.rootDisk()).arguments());
        launch.disk().ifPresent(disk -> add(out, "-drive", drive(disk, spec.throttle())));
        add(out, "-chardev", socket("c0", FIRST_SOCKET + 1));
        int next = FIRST_SOCKET + 2;
        for (int port : launch.ports()) {
            add(out, "-chardev", socket("c" + port, next++));
        }
        // Descriptor 3 is the guard's goodbye pipe.
        addPipe(out, "goodbye", GOODBYE);
        if (spec.hasLogPort()) {
            // Of a clone that wants no log, but whose snapshot has the port, the bytes go nowhere.
            if (spec.outputLogBytes().isPresent()) {
                addPipe(out, "log", next++);
            } else {
                add(out, "-chardev", "null,id=log");
            }
        }
        if (spec.hasNetwork()) {
            add(out, "-netdev", "stream,id=net,server=off,addr.type=fd,addr.str=" + next++);
        }
        // The guard's own, which hears when a disk fails; no part of what a snapshot depends on.
        add(out, "-chardev", "socket,id=guard,fd=" + next, "-mon", "chardev=guard,mode=control");
        devices(spec, launch.ports()).forEach(device -> add(out, "-device", device));
        // No guest executes anything before the guard has closed the walls, and has told it to begin.
        if (launch.incoming()) {
            add(out, "-incoming", "defer");
        } else {
            out.add("-S");
        }
        return out;
    }

    /**
     * Chooses the machine: ACPI where the kernel finds virtio-mmio devices by it; others read them from their command line. A
     * clock is there by default under emulation only; Debian's kernel looks a second long for one that is not.
     */
    public static String machine(KernelProperties kernel, Accelerator accelerator) {
        return "microvm,acpi=" + (kernel.acpi() ? "on" : "off") + (accelerator == Accelerator.KVM ? ",rtc=on" : "");
    }

    /** Likewise: what is translated is no part of a guest. */
    private static String accelerator(Accelerator accelerator) {
        return accelerator == Accelerator.KVM ? "kvm" : "tcg,tb-size=" + QemuJail.TRANSLATIONS_MIB;
    }

    /** Returns the devices, in QEMU's terms and order. A guest is only restored onto the same. */
    public static List<String> devices(VmSpec spec, NavigableSet<Integer> ports) {
        List<String> out = new ArrayList<>();
        out.add("virtio-blk-device,drive=root");
        if (!(spec.writable() instanceof WritableLayer.InMemory)) {
            out.add("virtio-blk-device,drive=upper,serial=cloche-upper");
        }
        out.add("virtio-serial-device,max_ports=16");
        // The owner's; those of clients are plugged in when they are wanted (ClientPort), for each costs time to boot.
        out.add(port("c0", ClientPort.name(0), ClientPort.number(0)));
        out.add(port("goodbye", "cloche.goodbye", ClientPort.GOODBYE));
        if (spec.hasLogPort()) {
            out.add(port("log", "cloche.log", ClientPort.LOG));
        }
        if (spec.hasNetwork()) {
            out.add("virtio-net-device,netdev=net,mac=" + UserNetwork.DEVICE_MAC);
        }
        ports.forEach(
                port -> out.add(port("c" + port, ClientPort.name(port), ClientPort.number(port)) + ",id=p" + port));
        return out;
    }

    /** Returns what every kernel gets, and this one besides. */
    public static String parameters(KernelProperties kernel, Accelerator accelerator) {
        List<String> words = new ArrayList<>(List.of(KERNEL_PARAMETERS));
        kernel.parameters().stream()
                .filter(word -> accelerator != Accelerator.KVM || !word.equals(OF_EMULATION))
                .forEach(words::add);
        return String.join(" ", words);
    }

    /**
     * Without the counter's frequency a boot under emulation measures it, which fails on a loaded host, and hangs. Without
     * the assurance that the counter is the same on all processors several of them make do with the tick for a clock.
     */
    private static String append(KernelProperties kernel, HostCapabilities host) {
        OptionalLong frequency = host.counterKiloHertz();
        return frequency.isPresent()
                ? parameters(kernel, host.accelerator()) + " tsc=reliable tsc_early_khz=" + frequency.getAsLong()
                : parameters(kernel, host.accelerator());
    }

    /** The block of memory is called the same wherever it is, so that a stream of one fits the other. */
    private static String memory(QemuLaunch.Ram ram, int mebibytes) {
        String size = ",id=ram,size=" + mebibytes + "M";
        return switch (ram) {
            case QemuLaunch.Ram.Anonymous _ -> "memory-backend-ram" + size;
            case QemuLaunch.Ram.Shared(Path file) ->
                "memory-backend-file" + size + ",share=on,mem-path=" + escape(file);
            case QemuLaunch.Ram.Private(Path file) ->
                "memory-backend-file" + size + ",share=off,mem-path=" + escape(file);
        };
    }

    /**
     * What a guest flushes is on the host's disk where that outlives the VM; else it need not be (docs/vm.md). A write that
     * fails for any reason halts the guest and is tried again when it goes on. On the device this would be part of the key
     * of snapshots, and so would what the guest may ask of it.
     */
    private static String drive(QemuLaunch.Disk disk, WritableLayer.Throttle throttle) {
        return "if=none,id=upper," + disk.layers().options()
                + ",cache=" + (disk.persistent().isPresent() ? "writeback" : "unsafe")
                + ",aio=threads,discard=unmap,werror=stop,rerror=report"
                + DiskThrottle.options(throttle);
    }

    /** A pipe that QEMU has from its guard, by its number: it opens no file for it. To append keeps it from cutting the pipe off. */
    private static void addPipe(List<String> out, String id, int descriptor) {
        add(out, "-add-fd", "fd=" + descriptor + ",set=" + descriptor);
        add(out, "-chardev", "file,id=" + id + ",append=on,path=/dev/fdset/" + descriptor);
    }

    private static String socket(String id, int descriptor) {
        return "socket,id=" + id + ",fd=" + descriptor + ",server=on,wait=off";
    }

    private static String port(String chardev, String name, int number) {
        return "virtserialport,chardev=" + chardev + ",name=" + name + ",nr=" + number;
    }

    /** A comma ends a value in QEMU's options, unless it is doubled. */
    private static String escape(Path path) {
        return path.toString().replace(",", ",,");
    }

    private static void add(List<String> out, String... arguments) {
        out.addAll(List.of(arguments));
    }
}
