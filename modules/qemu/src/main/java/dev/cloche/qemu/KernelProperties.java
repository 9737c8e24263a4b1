package dev.cloche.qemu;

import dev.cloche.vm.VmException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Says what the host has to know to start a kernel, from {@code kernel.properties} beside it; its format is in docs/vm.md.
 *
 * @param kind which of the setup's kernels it is, 1 to 32 of {@code a-z 0-9 -}
 * @param release what {@code uname -r} says in the guest, 1 to 64 characters without spaces
 * @param acpi whether it finds the machine's devices by ACPI; else QEMU names them on the kernel's command line
 * @param parameters what it wants on its command line besides, at most {@value #MAX_PARAMETERS} words
 */
public record KernelProperties(String kind, String release, boolean acpi, List<String> parameters) {
    private static final String FILE = "kernel.properties";
    private static final int MAX_BYTES = 4096;
    private static final int MAX_PARAMETERS = 16;
    private static final Pattern KIND = Pattern.compile("[a-z0-9-]{1,32}");
    private static final Pattern RELEASE = Pattern.compile("[A-Za-z0-9._+~-]{1,64}");
    // No quotes, no spaces: what is one word here is one word to the kernel.
    private static final Pattern PARAMETER = Pattern.compile("[A-Za-z0-9_.,:=-]{1,64}");

    static final KernelProperties UNRECORDED = new KernelProperties("unknown", "unknown", true, List.of());

    /** @throws IllegalArgumentException if a component is not as described */
    public KernelProperties {
        require(KIND.matcher(kind).matches(), "kind");
        require(RELEASE.matcher(release).matches(), "release");
        require(parameters.size() <= MAX_PARAMETERS, "parameters");
        require(parameters.stream().allMatch(PARAMETER.asMatchPredicate()), "parameters");
        parameters = List.copyOf(parameters);
    }

    /**
     * Returns what is recorded beside {@code kernel}; nothing recorded means an ordinary kernel of a distribution.
     *
     * @throws VmException.MissingResource if the record cannot be read or says what it may not say
     */
    static KernelProperties of(Path kernel, ResourceOrigin origin) {
        Path file = kernel.resolveSibling(FILE);
        try (InputStream in = Files.newInputStream(file)) {
            byte[] bytes = in.readNBytes(MAX_BYTES + 1);
            require(bytes.length <= MAX_BYTES, "length");
            return parse(new String(bytes, StandardCharsets.UTF_8));
        } catch (NoSuchFileException notRecorded) {
            return UNRECORDED;
        } catch (IOException | IllegalArgumentException e) {
            throw new VmException.MissingResource(
                    "The kernel's record " + file + " cannot be used: " + e.getMessage(), origin.remedy(), e);
        }
    }

    private static KernelProperties parse(String text) {
        Map<String, String> values = text.lines()
                .filter(line -> line.indexOf('=') > 0)
                .collect(Collectors.toMap(
                        line -> line.substring(0, line.indexOf('=')),
                        line -> line.substring(line.indexOf('=') + 1),
                        (first, second) -> second));
        String acpi = values.getOrDefault("acpi", "on");
        require(acpi.equals("on") || acpi.equals("off"), "acpi");
        String parameters = values.getOrDefault("parameters", "");
        return new KernelProperties(
                values.getOrDefault("kind", UNRECORDED.kind()),
                values.getOrDefault("release", UNRECORDED.release()),
                acpi.equals("on"),
                parameters.isEmpty() ? List.of() : List.of(parameters.split(" ", -1)));
    }

    private static void require(boolean condition, String what) {
        if (!condition) {
            throw new IllegalArgumentException("its " + what + " is out of bounds");
        }
    }
}
