package dev.cloche.bench;

import dev.cloche.vm.KernelImage;
import dev.cloche.vm.VmResources;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * QEMU started by itself, with the machine, kernel and accelerator that Cloche uses, and one port; what docs/vm.md says
 * without the guard, the sandbox, the monitor and the goodbye.
 */
final class BareMachine {
    private final KernelImage kernel;
    private final String accelerator;
    private final String parameters;

    BareMachine(VmResources resources, String accelerator) throws IOException {
        kernel = resources.kernel();
        this.accelerator = accelerator;
        List<String> words = new ArrayList<>(
                List.of("console=ttyS0 quiet panic=-1 reboot=t rdinit=/init cryptomgr.notests".split(" ", -1)));
        words.addAll(kernel.facts().parameters());
        if (!accelerator.equals("kvm")) {
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

    /** The command line with a port whose socket QEMU makes at {@code socket}, and {@code more} arguments. */
    List<String> command(Path initramfs, Path socket, String... more) {
        List<String> command = new ArrayList<>(List.of(
                "qemu-system-x86_64",
                "-M",
                "microvm,acpi=" + (kernel.facts().acpi() ? "on" : "off"),
                "-nodefaults",
                "-no-user-config",
                "-display",
                "none",
                "-no-reboot",
                "-accel",
                accelerator,
                "-cpu",
                accelerator.equals("kvm") ? "host" : "max,-erms,-fsrm",
                "-m",
                "512",
                "-smp",
                "1",
                "-kernel",
                kernel.kernel().toString(),
                "-initrd",
                initramfs.toString(),
                "-append",
                parameters));
        command.addAll(List.of(more));
        command.addAll(List.of(
                "-device",
                "virtio-serial-device,max_ports=16",
                "-chardev",
                "socket,id=c0,path=" + socket + ",server=on,wait=off",
                "-device",
                "virtserialport,chardev=c0,name=cloche.0,nr=1"));
        return command;
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
