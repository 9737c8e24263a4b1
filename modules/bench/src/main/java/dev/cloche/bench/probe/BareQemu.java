package dev.cloche.bench.probe;

import dev.cloche.qemu.VmResources;
import java.io.IOException;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Runs the honest alternative to {@code cloche run}: QEMU with the same kernel, initramfs, disk, memory and accelerator,
 * started by itself, without a guard, records or an image store, up to the end of one command.
 */
public final class BareQemu {
    private final Path disk;
    private final Path directory;
    private final BareMachine machine;

    /**
     * Prepares runs of it.
     *
     * @param share where the kernel and the rest are; of each file the first match wins
     */
    public BareQemu(Setting setting, List<Path> share) throws IOException {
        this(setting, VmResources.find(share));
    }

    /** Prepares runs with these programs and this kernel. */
    public BareQemu(Setting setting, VmResources resources) throws IOException {
        disk = setting.disk();
        directory = setting.directory();
        machine = new BareMachine(resources, setting);
    }

    /** Takes the time from the start of QEMU, whose guest is halted, to the greeting of its monitor. */
    public Spent spentOnGreeting() throws IOException, InterruptedException {
        Path socket = directory.resolve("bare.qmp");
        Files.deleteIfExists(socket);
        long begin = System.nanoTime();
        Process qemu = BareMachine.start(machine.halted(socket));
        try (SocketChannel channel = BareMachine.connect(socket, qemu)) {
            var _ = new BareMonitor(channel);
            return Spent.since(begin, qemu.pid());
        } finally {
            qemu.destroyForcibly().waitFor();
        }
    }

    /** Takes the time from the start of QEMU to the end of a first {@code true}. */
    public Spent spentOnTrue() throws IOException, InterruptedException {
        long begin = System.nanoTime();
        return afterTrue(List.of(), qemu -> Spent.since(begin, qemu.pid()));
    }

    private interface Action<T> {
        T on(Process qemu) throws IOException;
    }

    /** Returns the nanoseconds from the start of QEMU to the end of a first {@code true} and of QEMU. */
    public long timeTrue() throws IOException, InterruptedException {
        long begin = System.nanoTime();
        var _ = afterTrue(List.of(), Process::pid);
        return System.nanoTime() - begin;
    }

    /** Returns the memory of QEMU after a first {@code true} (PSS), in MiB. */
    public double memoryAfterTrue() throws IOException, InterruptedException {
        return afterTrue(List.of(), qemu -> ProportionalSize.mebibytes(qemu.pid()));
    }

    /** Runs it to the end of a first {@code true}, as the child of another program. */
    void runTrueBelow(List<String> program) throws IOException, InterruptedException {
        var _ = afterTrue(program, Process::pid);
    }

    private <T> T afterTrue(List<String> program, Action<T> action) throws IOException, InterruptedException {
        Path socket = directory.resolve("bare.sock");
        Files.deleteIfExists(socket);
        List<String> command = new ArrayList<>(program);
        command.addAll(machine.bootCommand(disk, socket));
        Process qemu = BareMachine.start(command);
        try (SocketChannel channel = BareMachine.connect(socket, qemu)) {
            BareGuest guest = new BareGuest(channel);
            guest.greet();
            guest.runTrue();
            return action.on(qemu);
        } finally {
            qemu.descendants().forEach(ProcessHandle::destroyForcibly);
            qemu.destroyForcibly().waitFor();
        }
    }
}
