package dev.cloche.qemu;

import dev.cloche.base.Printable;
import dev.cloche.qemu.disk.DiskTools;
import dev.cloche.vm.VmException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Describes the programs and files that VMs are made with, all absolute.
 *
 * @param qemu {@code qemu-system-x86_64}
 * @param guard the parent of every VM
 * @param clockMeter measures the frequency of the host's time stamp counter, which emulated guests have to be told
 * @param passt what gives guests a network: the host's, else the runtime's; empty where neither has it
 * @param formatter {@code mkfs.ext4}, which makes disks: the host's, else the runtime's; empty where neither has it
 * @param origin where the files are from, but for the host's QEMU and passt
 */
public record VmResources(
        Path qemu,
        Path guard,
        Path clockMeter,
        KernelImage kernel,
        Optional<Path> passt,
        Optional<Path> formatter,
        ResourceOrigin origin) {
    private static final String QEMU = "qemu-system-x86_64";
    /** Below a root: programs of ours that fill the host's gaps. */
    private static final String PROGRAMS = "programs/bin";

    private static final String EMULATOR = "CLOCHE_EMULATOR";
    private static final String FILLERS = "CLOCHE_PROGRAMS";

    /** @throws VmException.MissingResource if a path is not absolute */
    public VmResources {
        Stream.of(qemu, guard, clockMeter, kernel.kernel(), kernel.initramfs())
                .filter(path -> !path.isAbsolute())
                .findFirst()
                .ifPresent(path -> {
                    throw new VmException.MissingResource(
                            "The path " + path + " is not absolute", origin.remedy(), null);
                });
    }

    /** Makes those of a host without passt, of an unknown origin. */
    public VmResources(Path qemu, Path guard, Path clockMeter, KernelImage kernel) {
        this(qemu, guard, clockMeter, kernel, Optional.empty(), DiskTools.hostsFormatter(), ResourceOrigin.unknown());
    }

    /**
     * Returns passt, for a guest that is to have a network.
     *
     * @throws VmException.MissingResource if it is not installed
     */
    public Path requirePasst() {
        return passt.orElseThrow(() -> new VmException.MissingResource(
                "There is no passt in the PATH, which a guest's network needs",
                "Install passt (Debian: apt-get install passt), or start it without a network.",
                null));
    }

    /**
     * Returns the program that makes file systems, for a guest that is to have a writable disk.
     *
     * @throws VmException.MissingResource if neither the host nor the runtime has it
     */
    public Path requireFormatter() {
        return DiskTools.required(formatter);
    }

    /**
     * Looks for the installation's files below {@code roots}, the first that has a file wins: what the user named, the
     * installation's share directory. QEMU is the one that is there, else that of the {@code PATH}; with
     * {@code CLOCHE_EMULATOR=system} it is that of the {@code PATH}. passt and {@code mkfs.ext4} are the host's, else those that
     * are there; with {@code CLOCHE_PROGRAMS=runtime} they are those that are there.
     *
     * @throws VmException.MissingResource if something is missing
     */
    public static VmResources find(List<Path> roots, ResourceOrigin origin) {
        return find(roots, System.getenv(), origin);
    }

    /** Returns those of an unknown origin. */
    public static VmResources find(List<Path> roots) {
        return find(roots, ResourceOrigin.unknown());
    }

    static VmResources find(List<Path> roots, Map<String, String> environment, ResourceOrigin origin) {
        String searchPath = environment.getOrDefault("PATH", "");
        Path qemu = emulator(roots, environment)
                .or(() -> program(QEMU, searchPath))
                .orElseThrow(() -> new VmException.MissingResource(
                        "There is no " + QEMU + " in the PATH",
                        "Install QEMU (Debian: apt-get install qemu-system-x86).",
                        null));
        Path guard = first(roots, origin, "cloche-guard");
        Path clockMeter = first(roots, origin, "cloche-tsc");
        // The unpacked kernel boots faster under emulation; not every kernel can be unpacked.
        Path kernel = real(first(roots, origin, "kernel/vmlinux", "kernel/vmlinuz"), origin);
        Path initramfs = real(first(roots, origin, "initramfs"), origin);
        return new VmResources(
                qemu,
                guard,
                clockMeter,
                new KernelImage(kernel, initramfs, KernelProperties.of(kernel, origin)),
                filler("passt", program("passt", searchPath), roots, environment),
                filler("mkfs.ext4", DiskTools.hostsFormatter(), roots, environment),
                origin);
    }

    /** Returns the runtime's own QEMU, where it has one and the user does not want the system's. */
    private static Optional<Path> emulator(List<Path> roots, Map<String, String> environment) {
        String wanted = environment.getOrDefault(EMULATOR, "");
        return switch (wanted) {
            case "", "auto" -> executable(roots, "emulator/bin/" + QEMU);
            case "system" -> Optional.empty();
            default ->
                throw new VmException.MissingResource(
                        EMULATOR + " is \"" + Printable.of(wanted) + "\", which names no QEMU",
                        "Set it to auto or system, or unset it.",
                        null);
        };
    }

    /** Returns the host's program, else the runtime's that fills the gap; the runtime's where the user wants that. */
    private static Optional<Path> filler(
            String name, Optional<Path> hosts, List<Path> roots, Map<String, String> environment) {
        Optional<Path> own = executable(roots, PROGRAMS + "/" + name);
        String wanted = environment.getOrDefault(FILLERS, "");
        return switch (wanted) {
            case "", "auto" -> hosts.or(() -> own);
            case "runtime" -> {
                if (own.isEmpty()) {
                    throw new VmException.MissingResource(
                            FILLERS + " is runtime, and there is no " + name + " in any of " + roots,
                            "Use a runtime that has it, as releases and ./setup --runtime do, or unset " + FILLERS
                                    + " for the host's.",
                            null);
                }
                yield own;
            }
            default ->
                throw new VmException.MissingResource(
                        FILLERS + " is \"" + Printable.of(wanted) + "\", which names neither",
                        "Set it to auto, for the host's passt and mkfs.ext4 where it has them, or to runtime.",
                        null);
        };
    }

    private static Optional<Path> executable(List<Path> roots, String name) {
        return roots.stream()
                .map(root -> root.resolve(name).toAbsolutePath())
                .filter(Files::isExecutable)
                .findFirst();
    }

    private static Optional<Path> program(String name, String searchPath) {
        return Stream.of(searchPath.split(":", -1))
                .filter(directory -> directory.startsWith("/"))
                .map(directory -> Path.of(directory, name))
                .filter(Files::isExecutable)
                .findFirst();
    }

    private static Path first(List<Path> roots, ResourceOrigin origin, String... names) {
        return Stream.of(names)
                .flatMap(name -> roots.stream().map(root -> root.resolve(name).toAbsolutePath()))
                .filter(Files::isReadable)
                .findFirst()
                .orElseThrow(() -> new VmException.MissingResource(
                        "There is no " + String.join(" or ", names) + " in any of " + roots, origin.remedy(), null));
    }

    /** The setup may make another kernel the one in use while we run: we stay with the one whose facts we know. */
    private static Path real(Path path, ResourceOrigin origin) {
        try {
            return path.toRealPath();
        } catch (IOException e) {
            throw new VmException.MissingResource(path + " cannot be reached: " + e.getMessage(), origin.remedy(), e);
        }
    }
}
