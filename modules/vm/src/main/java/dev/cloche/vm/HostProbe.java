package dev.cloche.vm;

import dev.cloche.base.DurableFiles;
import dev.cloche.linux.ProcessIdentity;
import java.io.IOException;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.ObjectWriteContext;

/**
 * Finds out what runs guests on this host, by running one: {@code /dev/kvm} may exist and open, and still not run a guest
 * on nested or paravirtual hosts. The answer is remembered in the state root for this boot of the host and this QEMU.
 */
final class HostProbe {
    private static final String COUNTER = "counterKiloHertz";
    /** Of the file; another program's memory may lack what this one needs to boot. */
    private static final long FORMAT = 2;

    private static final Path KVM = Path.of("/dev/kvm");
    private static final Duration PATIENCE = Duration.ofSeconds(3);
    private static final Pattern VERSION = Pattern.compile("version (\\d+(?:\\.\\d+)+)");
    private static final Pattern NUMBER = Pattern.compile("\\d{4,9}");
    private static final int MAX_OUTPUT = 4096;

    private final Path qemu;
    private final Path clockMeter;
    private final Path kvm;
    private final Path memory;
    private final Path workspace;

    /** @param workspace a private directory for the firmware */
    HostProbe(VmResources resources, Path stateRoot, Path workspace) {
        this(resources.qemu(), resources.clockMeter(), KVM, stateRoot.resolve("accelerator.json"), workspace);
    }

    HostProbe(Path qemu, Path clockMeter, Path kvm, Path memory, Path workspace) {
        this.qemu = qemu;
        this.clockMeter = clockMeter;
        this.kvm = kvm;
        this.memory = memory;
        this.workspace = workspace;
    }

    /**
     * The remembered answer, or a new one, which takes some 100 ms, or three seconds where a guest hangs.
     *
     * @throws VmResourcesException if not even software emulation works
     */
    HostFacts facts() {
        try {
            String key = key();
            Optional<HostFacts> known = recall(key);
            if (known.isPresent()) {
                return known.get();
            }
            HostFacts found = probe();
            remember(key, found);
            return found;
        } catch (IOException e) {
            throw new VmResourcesException(
                    "It cannot be found out what " + qemu + " can do: " + e.getMessage(),
                    "Install QEMU (Debian: apt-get install qemu-system-x86).",
                    e);
        } catch (InterruptedException e) {
            throw Waiting.interrupted("probing QEMU");
        }
    }

    /** What the answer depends on. */
    private String key() throws IOException {
        Path file = qemu.toRealPath();
        return ProcessIdentity.currentBootId().orElse("unknown boot") + " " + file + " " + Files.size(file) + " "
                + Files.getLastModifiedTime(file).toMillis() + " " + Files.isWritable(kvm);
    }

    private HostFacts probe() throws IOException, InterruptedException {
        Matcher version =
                VERSION.matcher(run(List.of(qemu.toString(), "--version")).output());
        String number = version.find() ? version.group(1) : "unknown";
        if (!Files.exists(kvm)) {
            return tcg(number, "there is no " + kvm);
        }
        if (!Files.isReadable(kvm) || !Files.isWritable(kvm)) {
            return tcg(number, kvm + " is not open to this user; add the user to the group kvm");
        }
        Outcome outcome = boot(Accelerator.KVM);
        if (outcome.worked()) {
            return new HostFacts(
                    new VmCapabilities("qemu", number, Accelerator.KVM, "A guest ran on " + kvm + "."),
                    OptionalLong.empty());
        }
        return tcg(number, kvm + " does not run a guest: " + outcome.describe());
    }

    private HostFacts tcg(String version, String reason) throws IOException, InterruptedException {
        Outcome outcome = boot(Accelerator.TCG);
        if (!outcome.worked()) {
            throw new VmResourcesException(
                    qemu + " does not run a guest: " + outcome.describe(), "Reinstall QEMU, 7.2 or newer.", null);
        }
        String sentence = "Software emulation, because " + reason + ".";
        return new HostFacts(new VmCapabilities("qemu", version, Accelerator.TCG, sentence), counter());
    }

    /** The meter ends with another code where the counter is not constant. */
    private OptionalLong counter() throws IOException, InterruptedException {
        Outcome measured = run(List.of(clockMeter.toString()));
        String number = measured.output().strip();
        return measured.exitCode().equals(Optional.of(0))
                        && NUMBER.matcher(number).matches()
                ? OptionalLong.of(Long.parseLong(number))
                : OptionalLong.empty();
    }

    private Outcome boot(Accelerator accelerator) throws IOException, InterruptedException {
        Path firmware = Files.createTempFile(workspace, "probe-", ".bin");
        try {
            Files.write(firmware, ProbeGuest.firmware());
            List<String> arguments = new ArrayList<>(List.of(
                    qemu.toString(),
                    "-M",
                    "microvm",
                    "-nodefaults",
                    "-no-user-config",
                    "-display",
                    "none",
                    "-no-reboot"));
            arguments.addAll(List.of(QemuCommand.accelerator(accelerator)));
            arguments.addAll(List.of("-m", "16", "-bios", firmware.toString()));
            arguments.addAll(List.of("-device", "isa-debug-exit,iobase=" + ProbeGuest.PORT + ",iosize=4"));
            arguments.addAll(List.of("-sandbox", QemuCommand.SANDBOX));
            return run(arguments);
        } finally {
            Files.deleteIfExists(firmware);
        }
    }

    private Outcome run(List<String> command) throws IOException, InterruptedException {
        Path output = Files.createTempFile(workspace, "probe-", ".txt");
        ProcessBuilder builder = new ProcessBuilder(command)
                .directory(workspace.toFile())
                .redirectInput(ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile()))
                .redirectOutput(output.toFile())
                .redirectErrorStream(true);
        builder.environment().clear();
        Process process = builder.start();
        try {
            boolean ended = process.waitFor(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
            String text = Files.readString(output, StandardCharsets.ISO_8859_1);
            return new Outcome(
                    ended ? Optional.of(process.exitValue()) : Optional.empty(),
                    Printable.of(text.substring(0, Math.min(MAX_OUTPUT, text.length()))));
        } finally {
            process.destroyForcibly();
            process.waitFor();
            Files.deleteIfExists(output);
        }
    }

    private record Outcome(Optional<Integer> exitCode, String output) {
        boolean worked() {
            return exitCode.equals(Optional.of(ProbeGuest.EXIT_CODE));
        }

        String describe() {
            String first = output.lines().findFirst().orElse("it said nothing");
            return exitCode.map(code -> "QEMU ended with " + code + " (" + first + ")")
                    .orElse("it hung for " + PATIENCE.toSeconds() + " seconds");
        }
    }

    private Optional<HostFacts> recall(String key) {
        try {
            Map<String, Object> json = FlatJson.read(Files.readAllBytes(memory));
            if (key.equals(json.get("key"))
                    && Long.valueOf(FORMAT).equals(json.get("format"))
                    && json.get("version") instanceof String version
                    && json.get("accelerator") instanceof String accelerator
                    && json.get("reason") instanceof String reason) {
                OptionalLong counter =
                        json.get(COUNTER) instanceof Long kiloHertz ? OptionalLong.of(kiloHertz) : OptionalLong.empty();
                VmCapabilities known = new VmCapabilities("qemu", version, Accelerator.valueOf(accelerator), reason);
                return Optional.of(new HostFacts(known, counter));
            }
            return Optional.empty();
        } catch (NoSuchFileException never) {
            return Optional.empty();
        } catch (IOException | IllegalArgumentException damaged) {
            // It is only a memory: asking again answers the same.
            return Optional.empty();
        }
    }

    private void remember(String key, HostFacts facts) throws IOException {
        VmCapabilities found = facts.capabilities();
        StringWriter text = new StringWriter();
        try (JsonGenerator out = FlatJson.FACTORY.createGenerator(ObjectWriteContext.empty(), text)) {
            out.writeStartObject();
            out.writeNumberProperty("format", FORMAT);
            out.writeStringProperty("key", key);
            out.writeStringProperty("version", found.version());
            out.writeStringProperty("accelerator", found.accelerator().name());
            out.writeStringProperty("reason", found.acceleratorReason());
            if (facts.counterKiloHertz().isPresent()) {
                out.writeNumberProperty(COUNTER, facts.counterKiloHertz().getAsLong());
            }
            out.writeEndObject();
        }
        DurableFiles.write(memory, text.toString().getBytes(StandardCharsets.UTF_8));
    }
}
