package dev.cloche.vm;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The guard's and QEMU's command lines; see docs/vm.md and docs/guard.md. Pure; an argument list, never a shell's. */
final class QemuCommand {
    /** One owner and seven clients. */
    static final int PORTS = 8;

    static final String SANDBOX = "on,obsolete=deny,elevateprivileges=deny,spawn=deny,resourcecontrol=deny";

    private static final int FIRST_SOCKET = 4;
    /** After the monitor's socket and the owner's. */
    private static final int LOG_PIPE = FIRST_SOCKET + 2;

    /**
     * All that the emulator knows, but for the promise of fast {@code rep movsb}: it emulates them byte by byte, and a guest
     * that believes the promise copies and clears memory several times slower than by words.
     */
    private static final String EMULATED_CPU = "max,-erms,-fsrm";

    private static final String KERNEL_PARAMETERS =
            "console=ttyS0 quiet panic=-1 reboot=t rdinit=/init cryptomgr.notests";

    private QemuCommand() {}

    static List<String> guarded(VmSpec spec, VmLayout layout, VmResources resources, HostFacts host) {
        List<String> out = new ArrayList<>();
        add(
                out,
                resources.guard().toString(),
                "--dir",
                layout.directory(spec.id()).toString());
        add(out, "--listen", layout.monitorSocket(spec.id()).toString());
        add(out, "--listen", layout.portSocket(spec.id(), 0).toString());
        spec.maxDuration().ifPresent(limit -> add(out, "--max-duration-ms", String.valueOf(limit.toMillis())));
        add(out, "--owner-grace-ms", String.valueOf(spec.ownerGrace().toMillis()));
        spec.outputLogBytes().ifPresent(bytes -> add(out, "--output-log-bytes", String.valueOf(bytes)));
        out.add("--");
        out.addAll(qemu(spec, resources, host));
        return List.copyOf(out);
    }

    private static List<String> qemu(VmSpec spec, VmResources resources, HostFacts host) {
        List<String> out = new ArrayList<>();
        out.add(resources.qemu().toString());
        KernelFacts kernel = resources.kernel().facts();
        add(
                out,
                "-M",
                "microvm,acpi=" + (kernel.acpi() ? "on" : "off"),
                "-nodefaults",
                "-no-user-config",
                "-display",
                "none",
                "-no-reboot");
        add(out, accelerator(host.capabilities().accelerator()));
        add(out, "-m", String.valueOf(spec.memoryMiB()), "-smp", String.valueOf(spec.cpus()));
        add(out, "-kernel", resources.kernel().kernel().toString());
        add(out, "-initrd", resources.kernel().initramfs().toString(), "-append", parameters(kernel, host));
        add(out, "-sandbox", SANDBOX);
        add(out, "-chardev", "stdio,id=console,signal=off", "-serial", "chardev:console");
        add(out, "-chardev", socket("qmp", FIRST_SOCKET), "-mon", "chardev=qmp,mode=control");
        add(out, "-drive", drive(spec.rootDisk()), "-device", "virtio-blk-device,drive=root");
        add(out, "-device", "virtio-serial-device,max_ports=16");
        // The owner's; those of clients are plugged in when they are wanted (ClientPort), for each costs time to boot.
        add(out, "-chardev", socket("c0", FIRST_SOCKET + 1));
        add(out, "-device", port("c0", portName(0), portNumber(0)));
        // Descriptor 3 is the guard's goodbye pipe, opened a second time for writing.
        add(out, "-chardev", "file,id=goodbye,path=/dev/fd/3");
        add(out, "-device", port("goodbye", "cloche.goodbye", portNumber(PORTS)));
        if (spec.outputLogBytes().isPresent()) {
            add(out, "-chardev", "file,id=log,path=/dev/fd/" + LOG_PIPE);
            add(out, "-device", port("log", "cloche.log", portNumber(PORTS) + 1));
        }
        return out;
    }

    /** What the guest's agent knows a port by, 0 to 7. */
    static String portName(int port) {
        return "cloche." + port;
    }

    /** Its number on the bus, whose number 0 is for consoles. */
    static int portNumber(int port) {
        return 1 + port;
    }

    static String[] accelerator(Accelerator accelerator) {
        return accelerator == Accelerator.KVM
                ? new String[] {"-accel", "kvm", "-cpu", "host"}
                : new String[] {"-accel", "tcg", "-cpu", EMULATED_CPU};
    }

    /**
     * Without the counter's frequency a boot under emulation measures it, which fails on a loaded host, and hangs. Without
     * the assurance that the counter is the same on all processors several of them make do with the tick for a clock.
     */
    private static String parameters(KernelFacts kernel, HostFacts host) {
        List<String> words = new ArrayList<>(List.of(KERNEL_PARAMETERS));
        words.addAll(kernel.parameters());
        host.counterKiloHertz()
                .ifPresent(frequency -> words.addAll(List.of("tsc=reliable", "tsc_early_khz=" + frequency)));
        return String.join(" ", words);
    }

    private static String drive(RootDisk disk) {
        return "if=none,id=root,file=" + escape(disk.path()) + ",format="
                + disk.format().driver() + ",readonly=on";
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
