package dev.cloche.qemu.host;

import dev.cloche.base.Printable;
import dev.cloche.qemu.guard.ProbeDirectory;
import dev.cloche.vm.Accelerator;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/** Runs QEMU and the meter for the probe, as long as its patience lasts. */
public final class ProbeRun {
    /** What QEMU is kept from, with a guest as with the probe. */
    public static final String SANDBOX = "on,obsolete=deny,elevateprivileges=deny,spawn=deny,resourcecontrol=deny";

    /**
     * A processor needs some milliseconds for the guest and QEMU some tens for itself, however busy the host is; an emulating
     * host needs 17 s.
     */
    private static final Duration PROCESSOR_TIME = Duration.ofSeconds(1);

    /** Of a guest that hangs without using the processor. */
    private static final Duration TIME = Duration.ofSeconds(10);

    /** There is nothing to fall back to. */
    private static final Duration LAST_RESORT = Duration.ofSeconds(60);

    private static final Duration LOOK = Duration.ofMillis(10);
    private static final int MAX_OUTPUT = 4096;

    private final Path qemu;
    private final Path workspace;

    /** @param workspace a private directory, for one of each run's own */
    ProbeRun(Path qemu, Path workspace) {
        this.qemu = qemu;
        this.workspace = workspace;
    }

    /**
     * Says how a program ended.
     *
     * @param exitCode empty if it was not waited for any longer
     * @param output the beginning of it, printable
     */
    record Outcome(Optional<Integer> exitCode, String output) {
        boolean worked() {
            return exitCode.equals(Optional.of(ProbeGuest.EXIT_CODE));
        }

        boolean timedOut() {
            return exitCode.isEmpty();
        }

        String describe() {
            if (exitCode.equals(Optional.of(ProbeGuest.UNPRIVILEGED))) {
                return "it takes a kernel's privilege from it";
            }
            String first = output.lines().findFirst().orElse("it said nothing");
            return exitCode.map(code -> "QEMU ended with " + code + " (" + first + ")")
                    .orElse("a guest of some milliseconds was not done in " + PROCESSOR_TIME.toSeconds()
                            + " s of the processor, as on hosts that emulate a guest's kernel");
        }
    }

    /** Boots the smallest guest. */
    Outcome boot(Accelerator accelerator, String cpu) throws IOException, InterruptedException {
        try (ProbeDirectory directory = ProbeDirectory.open(workspace)) {
            Path firmware = Files.write(directory.path().resolve("firmware.bin"), ProbeGuest.firmware());
            List<String> arguments = new ArrayList<>(List.of(
                    qemu.toString(),
                    "-M",
                    "microvm",
                    "-nodefaults",
                    "-no-user-config",
                    "-display",
                    "none",
                    "-no-reboot"));
            arguments.addAll(List.of(CpuModel.arguments(accelerator, cpu)));
            arguments.addAll(List.of("-m", "16", "-bios", firmware.toString()));
            arguments.addAll(List.of("-device", "isa-debug-exit,iobase=" + ProbeGuest.PORT + ",iosize=4"));
            arguments.addAll(List.of("-sandbox", SANDBOX));
            return accelerator == Accelerator.KVM
                    ? run(directory, arguments, TIME, PROCESSOR_TIME)
                    : run(directory, arguments, LAST_RESORT, LAST_RESORT);
        }
    }

    /** Runs something that ends by itself. */
    Outcome run(List<String> command) throws IOException, InterruptedException {
        try (ProbeDirectory directory = ProbeDirectory.open(workspace)) {
            return run(directory, command, LAST_RESORT, LAST_RESORT);
        }
    }

    private static Outcome run(ProbeDirectory directory, List<String> command, Duration time, Duration processorTime)
            throws IOException, InterruptedException {
        Path output = directory.path().resolve("output.txt");
        ProcessBuilder builder = new ProcessBuilder(command)
                .directory(directory.path().toFile())
                .redirectInput(ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile()))
                .redirectOutput(output.toFile())
                .redirectErrorStream(true);
        builder.environment().clear();
        Process process = builder.start();
        try {
            boolean ended = ends(process, time, processorTime);
            String text = Files.readString(output, StandardCharsets.ISO_8859_1);
            return new Outcome(
                    ended ? Optional.of(process.exitValue()) : Optional.empty(),
                    Printable.lines(text.substring(0, Math.min(MAX_OUTPUT, text.length()))));
        } finally {
            process.destroyForcibly();
            process.waitFor();
        }
    }

    private static boolean ends(Process process, Duration time, Duration processorTime) throws InterruptedException {
        long start = System.nanoTime();
        while (!process.waitFor(LOOK.toMillis(), TimeUnit.MILLISECONDS)) {
            Duration used = process.info().totalCpuDuration().orElse(Duration.ZERO);
            if (used.compareTo(processorTime) > 0 || System.nanoTime() - start > time.toNanos()) {
                return false;
            }
        }
        return true;
    }
}
