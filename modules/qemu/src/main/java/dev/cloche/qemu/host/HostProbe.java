package dev.cloche.qemu.host;

import dev.cloche.linux.ProcessIdentity;
import dev.cloche.qemu.VmLayout;
import dev.cloche.qemu.VmResources;
import dev.cloche.vm.Accelerator;
import dev.cloche.vm.VmCapabilities;
import dev.cloche.vm.VmException;
import dev.cloche.vmm.VmWaits;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Finds out what runs guests on this host, by running one: {@code /dev/kvm} may exist and open, and still not run a guest's
 * kernel on nested or paravirtual hosts. The answer is remembered for this boot of the host, this user and this QEMU; for some
 * minutes only if it came of a lack of patience.
 */
public final class HostProbe {
    public static final Path KVM = Path.of("/dev/kvm");
    private static final Duration DOUBT = Duration.ofMinutes(10);
    private static final Pattern VERSION = Pattern.compile("version (\\d+(?:\\.\\d+)+)");
    private static final Pattern NUMBER = Pattern.compile("\\d{4,9}");

    private final Path qemu;
    private final Path clockMeter;
    private final Surroundings surroundings;
    private final ProbeCache cache;
    private final ProbeRun runs;

    /**
     * Says what the answer depends on besides the programs.
     *
     * @param kvm {@code /dev/kvm}
     * @param cpu {@code /proc/cpuinfo}
     */
    record Surroundings(AcceleratorChoice choice, Path kvm, Path cpu, Clock clock) {
        static Surroundings ofThisHost() {
            return new Surroundings(AcceleratorChoice.of(System.getenv()), KVM, HostCpu.DESCRIPTION, Clock.systemUTC());
        }
    }

    public HostProbe(VmResources resources, VmLayout layout) {
        this(
                resources.qemu(),
                resources.clockMeter(),
                Surroundings.ofThisHost(),
                new ProbeCache(layout.accelerators()),
                layout.runtimeDirectory());
    }

    /** @param workspace a private directory for the firmware */
    public HostProbe(Path qemu, Path clockMeter, Surroundings surroundings, ProbeCache cache, Path workspace) {
        this.qemu = qemu;
        this.clockMeter = clockMeter;
        this.surroundings = surroundings;
        this.cache = cache;
        runs = new ProbeRun(qemu, workspace);
    }

    /**
     * Returns the remembered answer, or a new one, which takes some 100 ms, or seconds where KVM emulates a guest's kernel.
     *
     * @throws VmException.MissingResource if not even software emulation works
     */
    public HostCapabilities facts() {
        try {
            String key = key();
            Optional<HostCapabilities> known =
                    cache.recall(key, surroundings.clock().millis(), DOUBT.toMillis());
            if (known.isPresent()) {
                return known.get();
            }
            DescriptorLimit.require();
            HostCapabilities found = probe();
            cache.remember(key, found);
            return found;
        } catch (IOException e) {
            throw new VmException.MissingResource(
                    "It cannot be found out what " + qemu + " can do: " + e.getMessage(),
                    "Install QEMU (Debian: apt-get install qemu-system-x86).",
                    e);
        } catch (InterruptedException e) {
            throw VmWaits.interrupted("probing QEMU");
        }
    }

    /** Returns what the answer depends on. */
    private String key() throws IOException {
        Path file = qemu.toRealPath();
        return ProcessIdentity.currentBootId().orElse("unknown boot") + " " + file + " " + Files.size(file) + " "
                + Files.getLastModifiedTime(file).toMillis() + " " + closed().orElse("open") + " "
                + surroundings.choice();
    }

    /** Returns why this user cannot open the device, if it is so. */
    private Optional<String> closed() throws IOException {
        Path kvm = surroundings.kvm();
        if (!Files.exists(kvm)) {
            return Optional.of("there is no " + kvm);
        }
        return Files.isReadable(kvm) && Files.isWritable(kvm)
                ? Optional.empty()
                : Optional.of(kvm + " is not open to this user; " + KvmAccess.remedy(kvm));
    }

    private HostCapabilities probe() throws IOException, InterruptedException {
        Matcher version =
                VERSION.matcher(runs.run(List.of(qemu.toString(), "--version")).output());
        String number = version.find() ? version.group(1) : "unknown";
        if (surroundings.choice() == AcceleratorChoice.TCG) {
            return tcg(number, "CLOCHE_ACCELERATOR says so");
        }
        Optional<String> closed = closed();
        return closed.isPresent() ? without(number, closed.get()) : probeKvm(number);
    }

    private HostCapabilities probeKvm(String version) throws IOException, InterruptedException {
        List<String> candidates = CpuModel.candidates(HostCpu.read(surroundings.cpu()));
        List<String> failures = new ArrayList<>();
        boolean inDoubt = false;
        for (String cpu : candidates) {
            ProbeRun.Outcome outcome = runs.boot(Accelerator.KVM, cpu);
            if (outcome.worked()) {
                return kvm(version, cpu, true, "A guest ran on " + surroundings.kvm() + " with -cpu " + cpu + ".");
            }
            failures.add(outcome.describe());
            if (outcome.timedOut()) {
                // Another model is no faster.
                inDoubt = true;
                break;
            }
        }
        String why = surroundings.kvm() + " does not run a guest: "
                + String.join("; ", failures.stream().distinct().toList());
        HostCapabilities found = surroundings.choice() == AcceleratorChoice.KVM
                ? kvm(version, candidates.getFirst(), false, "CLOCHE_ACCELERATOR insists on it, although " + why + ".")
                : tcg(version, why);
        return inDoubt ? found.askedAgainAt(surroundings.clock().millis() + DOUBT.toMillis()) : found;
    }

    private static HostCapabilities kvm(String version, String cpu, boolean proven, String reason) {
        return new HostCapabilities(
                new VmCapabilities("qemu", version, Accelerator.KVM, cpu, proven, reason), OptionalLong.empty());
    }

    /** Where QEMU could not even be tried with KVM. */
    private HostCapabilities without(String version, String reason) throws IOException, InterruptedException {
        if (surroundings.choice() == AcceleratorChoice.KVM) {
            throw new VmException.MissingResource(
                    "CLOCHE_ACCELERATOR wants KVM, but " + reason, "Set it to auto, or mend that.", null);
        }
        return tcg(version, reason);
    }

    private HostCapabilities tcg(String version, String reason) throws IOException, InterruptedException {
        ProbeRun.Outcome outcome = runs.boot(Accelerator.TCG, CpuModel.EMULATED);
        if (!outcome.worked()) {
            throw new VmException.MissingResource(
                    qemu + " does not run a guest: " + outcome.describe(), "Reinstall QEMU, 7.2 or newer.", null);
        }
        String sentence = "Software emulation, because " + reason + ".";
        return new HostCapabilities(
                new VmCapabilities("qemu", version, Accelerator.TCG, CpuModel.EMULATED, true, sentence), counter());
    }

    /** The meter ends with another code where the counter is not constant. */
    private OptionalLong counter() throws IOException, InterruptedException {
        ProbeRun.Outcome measured = runs.run(List.of(clockMeter.toString()));
        String number = measured.output().strip();
        return measured.exitCode().equals(Optional.of(0))
                        && NUMBER.matcher(number).matches()
                ? OptionalLong.of(Long.parseLong(number))
                : OptionalLong.empty();
    }
}
