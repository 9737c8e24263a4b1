package dev.cloche.bench.probe;

import dev.cloche.qemu.VmLayout;
import dev.cloche.vm.Vm;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Runs the guard of each of some VMs, with {@code sleep} in the place of QEMU: their claims count, and they take nothing. */
public final class ClaimingGuards implements AutoCloseable {
    private final List<Process> guards = new ArrayList<>();

    private ClaimingGuards() {}

    public static ClaimingGuards begin(Path guard, VmLayout layout, List<Vm> vms) throws IOException {
        ClaimingGuards all = new ClaimingGuards();
        for (Vm vm : vms) {
            Process process = new ProcessBuilder(
                            guard.toString(),
                            "--dir",
                            layout.directory(vm.id()).toString(),
                            "--",
                            "/bin/sleep",
                            "100000")
                    .redirectError(ProcessBuilder.Redirect.DISCARD)
                    .start();
            all.guards.add(process);
            if (!String.valueOf(process.inputReader().readLine()).startsWith("started ")) {
                all.close();
                throw new IllegalStateException("a guard has not started");
            }
        }
        return all;
    }

    @Override
    public void close() {
        guards.forEach(Process::destroy);
        guards.forEach(guard -> guard.onExit().join());
    }
}
