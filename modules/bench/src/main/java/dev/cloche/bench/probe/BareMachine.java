package dev.cloche.bench.probe;

import dev.cloche.qemu.KernelImage;
import dev.cloche.qemu.VmResources;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Starts QEMU by itself, with the machine, kernel and accelerator that Cloche uses, and one port; what docs/vm.md says
 * without the guard, the sandbox, the monitor and the goodbye.
 */
public final class BareMachine {
    /** The default memory of {@code cloche run}. */
    private static final int MEMORY_MIB = 512;

    private final Path qemu;
    private final KernelImage kernel;
    private final Path initramfs;
    private final String accelerator;
    private final String cpu;
    private final String parameters;

    /**
     * Starts it.
     *
     * @param setting whose accelerator and processor it gets
     */
    public BareMachine(VmResources resources, Setting setting) throws IOException {
        qemu = resources.qemu();
        kernel = resources.kernel();
        initramfs = kernel.initramfs();
        accelerator = setting.accelerator();
        cpu = setting.cpu();
        List<String> words = new ArrayList<>(
                List.of("console=ttyS0 quiet panic=-1 reboot=t rdinit=/init cryptomgr.notests".split(" ", -1)));
        words.addAll(kernel.properties().parameters());
        if (accelerator.equals("kvm")) {
            words.remove("noreplace-smp");
        } else {
            words.addAll(clock(resources.clockMeter()));
        }
        parameters = String.join(" ", words);
    }

    /** Under emulation the guest is told the frequency of its time stamp counter. */
    private static List<String> clock(Path meter) throws IOException {
        Process process = new ProcessBuilder(meter.toString()).start();
        String frequency = new String(process.getInputStream().readAllBytes(), StandardCharsets.US_ASCII).strip();
        return frequency.isEmpty() ? List.of() : List.of("tsc=reliable", "tsc_early_khz=" + frequency);
    }

    /** Boots an image, with a port whose socket QEMU makes at {@code socket}. */
    List<String> bootCommand(Path disk, Path socket) {
        List<String> command = machine(machineType(), MEMORY_MIB, initramfs);
        command.addAll(rootDisk(disk, "vmdk"));
        command.addAll(port(socket));
        return command;
    }

    /** Waits for a word to its monitor before it boots. */
    List<String> halted(Path monitor) {
        List<String> command = machine(machineType(), MEMORY_MIB, initramfs);
        command.addAll(List.of("-S", "-qmp", "unix:" + monitor + ",server=on,wait=off"));
        return command;
    }

    /** Boots another initramfs, without a disk. */
    List<String> diskless(Path otherInitramfs, Path socket) {
        List<String> command = machine(machineType(), MEMORY_MIB, otherInitramfs);
        command.addAll(port(socket));
        return command;
    }

    /** Waits for the state of a snapshot, on the devices that it was taken of. */
    List<String> cloneCommand(BootedTemplate template, Path socket, Path monitor) {
        int memoryMiB = template.snapshot().memoryMiB();
        List<String> command = machine(machineType() + ",memory-backend=ram", memoryMiB, initramfs);
        command.addAll(List.of(
                "-object",
                "memory-backend-file,id=ram,size=" + memoryMiB + "M,share=off,mem-path=" + template.memory()));
        command.addAll(List.of("-serial", "null"));
        command.addAll(List.of("-qmp", "unix:" + monitor + ",server=on,wait=off"));
        command.addAll(rootDisk(template.snapshot().rootDisk().path(), "raw"));
        command.addAll(port(socket));
        command.addAll(List.of("-chardev", "null,id=goodbye"));
        command.addAll(List.of("-device", "virtserialport,chardev=goodbye,name=cloche.goodbye,nr=9"));
        command.addAll(List.of("-incoming", "defer"));
        return command;
    }

    private String machineType() {
        return "microvm,acpi=" + (kernel.properties().acpi() ? "on" : "off")
                + (accelerator.equals("kvm") ? ",rtc=on" : "");
    }

    private List<String> machine(String type, int memoryMiB, Path initrd) {
        List<String> command = new ArrayList<>(List.of(qemu.toString(), "-M", type));
        command.addAll(List.of("-nodefaults", "-no-user-config", "-display", "none", "-no-reboot"));
        command.addAll(List.of("-accel", accelerator));
        command.addAll(List.of("-cpu", cpu));
        command.addAll(List.of("-m", String.valueOf(memoryMiB), "-smp", "1"));
        command.addAll(List.of("-kernel", kernel.kernel().toString(), "-initrd", initrd.toString()));
        command.addAll(List.of("-append", parameters));
        return command;
    }

    private static List<String> rootDisk(Path disk, String format) {
        return List.of(
                "-drive",
                "if=none,id=root,file=" + disk + ",format=" + format + ",readonly=on",
                "-device",
                "virtio-blk-device,drive=root");
    }

    private static List<String> port(Path socket) {
        return List.of(
                "-device",
                "virtio-serial-device,max_ports=16",
                "-chardev",
                "socket,id=c0,path=" + socket + ",server=on,wait=off",
                "-device",
                "virtserialport,chardev=c0,name=cloche.0,nr=1");
    }

    static Process start(List<String> command) throws IOException {
        return new ProcessBuilder(command)
                .redirectInput(ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile()))
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
    }

    /** QEMU makes the socket when it is ready for it; until then there is nothing but to look again. */
    static SocketChannel connect(Path socket, Process qemu) throws IOException, InterruptedException {
        while (true) {
            SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX);
            try {
                channel.connect(UnixDomainSocketAddress.of(socket));
                return channel;
            } catch (IOException notYet) {
                channel.close();
                if (!qemu.isAlive()) {
                    throw new IllegalStateException("QEMU ended with " + qemu.exitValue(), notYet);
                }
                Thread.sleep(1);
            }
        }
    }
}
