package dev.cloche.vm;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** The files of an installation that VMs are made with. */
public record VmResources(Path guard, KernelImage kernel) {
    /**
     * The first of each that is found, in this order of roots: what the user named, the state root, the installation's
     * share directory.
     *
     * @throws VmResourcesException if one is missing
     */
    public static VmResources find(List<Path> roots) {
        Path guard = first(roots, "cloche-guard");
        Path kernel = first(roots, "kernel/vmlinuz");
        Path initramfs = first(roots, "kernel/initramfs");
        return new VmResources(guard, new KernelImage(kernel, initramfs, "unknown"));
    }

    private static Path first(List<Path> roots, String name) {
        return roots.stream()
                .map(root -> root.resolve(name))
                .filter(Files::isReadable)
                .findFirst()
                .orElseThrow(() -> new VmResourcesException(
                        "There is no " + name + " in any of " + roots, "Run ./setup, which builds it.", null));
    }
}
