package dev.cloche;

import dev.cloche.base.Deadline;
import dev.cloche.sandbox.SandboxManager;
import dev.cloche.sandbox.SandboxSpec;
import dev.cloche.vm.NetworkSpec;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.UnaryOperator;

/**
 * The templates of a state root: booted guests, from which sandboxes of the same image and size are restored in a fraction
 * of a boot's time. They are made by themselves after first starts, see {@link ClocheOptions#templateMaking()}. Safe for use
 * from several threads.
 *
 * <pre>{@code
 * cloche.templates().make("python:3.13", 1024, 2, PullProgress.silent());
 * cloche.templates().list().forEach(template -> System.out.println(template.name()));
 * }</pre>
 */
public final class Templates {
    private final SandboxManager sandboxes;
    private final UnaryOperator<String> exactImage;

    /** @param exactImage finds the image that the beginning of a digest means */
    Templates(SandboxManager sandboxes, UnaryOperator<String> exactImage) {
        this.sandboxes = sandboxes;
        this.exactImage = exactImage;
    }

    /**
     * Makes the template of an image and a size, unless there is one.
     *
     * @param image reference as in Docker, or the digest of an image on this host or the beginning of it, as {@link Images} has it
     * @param memoryMib the guest's memory in MiB
     * @return the template; empty if another process makes it just now
     * @throws dev.cloche.base.ClocheException if the image is not to be had, or its guest does not boot
     */
    public Optional<TemplateInfo> make(String image, int memoryMib, int cpus, PullProgress progress) {
        return make(image, memoryMib, cpus, Network.NONE, OptionalInt.empty(), progress);
    }

    /**
     * Makes the template of sandboxes with a network or a disk of their own, unless there is one.
     *
     * @param diskMib the size of the disk that goes with the sandbox
     * @return as the other method
     */
    public Optional<TemplateInfo> make(
            String image, int memoryMib, int cpus, Network network, OptionalInt diskMib, PullProgress progress) {
        SandboxSpec spec =
                SandboxSpec.of(exactImage.apply(image)).withMemoryMib(memoryMib).withCpus(cpus);
        SandboxSpec linked = network == Network.USER ? spec.withNetwork(NetworkSpec.user()) : spec;
        SandboxSpec whole = diskMib.isPresent() ? linked.withDiskMib(diskMib.getAsInt()) : linked;
        return sandboxes
                .makeTemplate(whole, new PullReport(progress), Deadline.none())
                .map(TemplateInfo::of);
    }

    /** All of them, by name. */
    public List<TemplateInfo> list() {
        return sandboxes.templates().list().stream().map(TemplateInfo::of).toList();
    }

    /**
     * One of them.
     *
     * @throws dev.cloche.base.ClocheException if there is none of that name
     */
    public TemplateInfo get(String name) {
        return TemplateInfo.of(sandboxes.templates().get(name));
    }

    /**
     * Removes one.
     *
     * @throws dev.cloche.base.ClocheException if there is none of that name, or sandboxes run from it
     */
    public void remove(String name) {
        sandboxes.templates().remove(name);
    }

    /**
     * Removes those that nobody has used for so long and those whose image is gone, as far as no sandbox runs from them.
     *
     * @return their names
     */
    public List<String> prune(Duration unusedFor) {
        return sandboxes.templates().prune(unusedFor);
    }
}
