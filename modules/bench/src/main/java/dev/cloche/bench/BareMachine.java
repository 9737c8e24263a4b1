package dev.cloche.bench;

import java.io.IOException;
import java.io.InputStream;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;

/**
 * QEMU started by itself, with the machine, kernel and accelerator that Cloche uses, and one port; what docs/vm.md says
 * without the guard, the sandbox, the monitor and the goodbye.
 */
final class BareMachine {
    private final Path share;
    private final String accelerator;
    private final Properties kernel = new Properties();
    private final String parameters;

    BareMachine(Path share, String accelerator) throws IOException {
        this.share = share;
        this.accelerator = accelerator;
        try (InputStream in = Files.newInputStream(share.resolve("kernel/kernel.properties"))) {
            kernel.load(in);
        }
        parameters = ("console=ttyS0 quiet panic=-1 reboot=t rdinit=/init cryptomgr.notests "
                        + kernel.getProperty("parameters", "") + counterFrequency())
                .strip();
    }

    /** Under emulation the guest is told the frequency of its time stamp counter. */
    private String counterFrequency() throws IOException {
        if (accelerator.equals("kvm")) {
            return "";
        }
        Process meter = new ProcessBuilder(share.resolve("cloche-tsc").toString()).start();
        String frequency = new String(meter.getInputStream().readAllBytes(), StandardCharsets.US_ASCII).strip();
        return frequency.isEmpty() ? "" : " tsc_early_khz=" + frequency;
    }

    /** The command line with a port whose socket QEMU makes at {@code socket}, and {@code more} arguments. */
    List<String> command(Path initramfs, Path socket, String... more) {
        List<String> command = new ArrayList<>(List.of(
                "qemu-system-x86_64",
                "-M",
                "microvm,acpi=" + kernel.getProperty("acpi", "on"),
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
                share.resolve("kernel/vmlinux").toString(),
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
