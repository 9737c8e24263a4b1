package dev.cloche.bench.probe;

import dev.cloche.base.Deadline;
import dev.cloche.qemu.QemuProvider;
import dev.cloche.vm.ExecRequest;
import dev.cloche.vm.Guest;
import dev.cloche.vm.GuestExecution;
import dev.cloche.vm.Isolation;
import dev.cloche.vm.RootDisk;
import dev.cloche.vm.Vm;
import dev.cloche.vm.VmId;
import dev.cloche.vm.VmIsolation;
import dev.cloche.vm.VmProvider;
import dev.cloche.vm.VmSpec;
import dev.cloche.vm.WritableLayer;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.function.UnaryOperator;

/** Runs a VM of the image {@code base}, without a sandbox around it. */
public final class BenchVm implements AutoCloseable {
    private final QemuProvider provider;
    private final Vm vm;

    private BenchVm(QemuProvider provider, Vm vm) {
        this.provider = provider;
        this.vm = vm;
    }

    public static BenchVm boot(Setting setting) {
        return boot(setting, WritableLayer.inMemory());
    }

    public static BenchVm boot(Setting setting, WritableLayer writable) {
        return boot(setting, (VmSpec spec) -> spec.withWritable(writable));
    }

    /**
     * Boots one.
     *
     * @param more adds what it has besides 512 MiB and the image
     */
    public static BenchVm boot(Setting setting, UnaryOperator<VmSpec> more) {
        QemuProvider provider = setting.provider();
        Vm vm = provider.create(more.apply(
                VmSpec.of(VmId.random(), RootDisk.vmdk(setting.disk())).withMemoryMiB(512)));
        vm.start(patience());
        return new BenchVm(provider, vm);
    }

    public static Deadline patience() {
        return Deadline.after(Duration.ofMinutes(5));
    }

    public Guest guest() {
        return vm.guest();
    }

    /** Returns the port of this host that its first published port is at. */
    public int hostPort() {
        return provider.publishedPorts(vm.id()).getFirst().hostPort();
    }

    /**
     * Checks behind which walls it is.
     *
     * @param wanted {@code REDUCED} or {@code FULL}
     * @throws IllegalStateException if it has others
     */
    public void requireWalls(Isolation wanted) {
        requireWalls(provider, vm.id(), wanted);
    }

    /**
     * Checks behind which walls it is.
     *
     * @param wanted {@code REDUCED} or {@code FULL}
     * @throws IllegalStateException if it has others
     */
    public static void requireWalls(VmProvider provider, VmId id, Isolation wanted) {
        VmIsolation walls = provider.isolation(id).orElseThrow();
        if (!walls.level().name().equals(wanted.name())) {
            throw new IllegalStateException("it is at " + walls + ", is CLOCHE_ISOLATION set?");
        }
    }

    /** Puts a program into the guest. */
    public void install(Path program, String target) throws IOException {
        String script = "cat > " + target + " && chmod 755 " + target;
        try (GuestExecution cat =
                guest().exec(ExecRequest.of("sh", "-c", script).withStdin(), patience())) {
            try (OutputStream stdin = cat.stdin()) {
                stdin.write(Files.readAllBytes(program));
            }
            if (!cat.await(patience()).success()) {
                throw new IllegalStateException(program + " could not be installed");
            }
        }
    }

    /** Runs a command and returns what it writes to its standard output. */
    public String output(String... command) throws IOException {
        try (GuestExecution execution = guest().exec(ExecRequest.of(command), patience())) {
            String text = new String(execution.stdout().readAllBytes(), StandardCharsets.US_ASCII);
            if (!execution.await(patience()).success()) {
                throw new IllegalStateException(command[0] + " failed");
            }
            return text;
        }
    }

    @Override
    public void close() {
        vm.close();
        vm.destroy();
        provider.close();
    }
}
