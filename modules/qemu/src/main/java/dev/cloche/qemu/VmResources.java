package dev.cloche.qemu;

import dev.cloche.vm.VmException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Describes the programs and files that VMs are made with, all absolute.
 *
 * @param qemu {@code qemu-system-x86_64}
 * @param guard the parent of every VM
 * @param clockMeter measures the frequency of the host's time stamp counter, which emulated guests have to be told
 * @param passt what gives guests a network; empty where it is not installed
 */
public record VmResources(Path qemu, Path guard, Path clockMeter, KernelImage kernel, Optional<Path> passt) {
    private static final String QEMU = "qemu-system-x86_64";
    private static final String SETUP = "Unpack or build the runtime anew, or name another with CLOCHE_SHARE.";

    /** @throws VmException.MissingResource if a path is not absolute */
    public VmResources {
        Stream.of(qemu, guard, clockMeter, kernel.kernel(), kernel.initramfs())
                .filter(path -> !path.isAbsolute())
                .findFirst()
                .ifPresent(path -> {
                    throw new VmException.MissingResource("The path " + path + " is not absolute", SETUP, null);
                });
    }

    /** Those of a host without passt. */
    public VmResources(Path qemu, Path guard, Path clockMeter, KernelImage kernel) {
        this(qemu, guard, clockMeter, kernel, Optional.empty());
    }

    /**
     * passt, for a guest that is to have a network.
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
     * Looks for the installation's files below {@code roots}, the first that has a file wins: what the user named, the
     * state root, the installation's share directory. QEMU and passt are searched in the {@code PATH}.
     *
     * @throws VmException.MissingResource if something is missing
     */
    public static VmResources find(List<Path> roots) {
        return find(roots, Optional.ofNullable(System.getenv("PATH")).orElse(""));
    }

    static VmResources find(List<Path> roots, String searchPath) {
        Path qemu = program(QEMU, searchPath)
                .orElseThrow(() -> new VmException.MissingResource(
                        "There is no " + QEMU + " in the PATH",
                        "Install QEMU (Debian: apt-get install qemu-system-x86).",
                        null));
        Path guard = first(roots, "cloche-guard");
        Path clockMeter = first(roots, "cloche-tsc");
        // The unpacked kernel boots faster under emulation; not every kernel can be unpacked.
        Path kernel = real(first(roots, "kernel/vmlinux", "kernel/vmlinuz"));
        Path initramfs = real(first(roots, "initramfs"));
        return new VmResources(
                qemu,
                guard,
                clockMeter,
                new KernelImage(kernel, initramfs, KernelProperties.of(kernel)),
                program("passt", searchPath));
    }

    private static Optional<Path> program(String name, String searchPath) {
        return Stream.of(searchPath.split(":", -1))
                .filter(directory -> directory.startsWith("/"))
                .map(directory -> Path.of(directory, name))
                .filter(Files::isExecutable)
                .findFirst();
    }

    private static Path first(List<Path> roots, String... names) {
        return Stream.of(names)
                .flatMap(name -> roots.stream().map(root -> root.resolve(name).toAbsolutePath()))
                .filter(Files::isReadable)
                .findFirst()
                .orElseThrow(() -> new VmException.MissingResource(
                        "There is no " + String.join(" or ", names) + " in any of " + roots, SETUP, null));
    }

    /** The setup may make another kernel the one in use while we run: we stay with the one whose facts we know. */
    private static Path real(Path path) {
        try {
            return path.toRealPath();
        } catch (IOException e) {
            throw new VmException.MissingResource(path + " cannot be reached: " + e.getMessage(), SETUP, e);
        }
    }
}
