package dev.cloche;

import dev.cloche.base.Deadline;
import dev.cloche.sandbox.SandboxManager;
import dev.cloche.sandbox.Template;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * The templates of a state root: booted guests, from which sandboxes of the same image and size are restored in a fraction
 * of a boot's time. They are made by themselves after first starts, see {@link ClocheOptions#templateMaking()}. Safe for use
 * from several threads.
 *
 * <pre>{@code
 * cloche.templates().make(cloche.sandbox("python:3.13").memoryMib(1024).cpus(2));
 * cloche.templates().list().forEach(template -> System.out.println(template.name()));
 * }</pre>
 */
public final class Templates {
    private final SandboxManager sandboxes;

    Templates(SandboxManager sandboxes) {
        this.sandboxes = sandboxes;
    }

    /**
     * Makes the template of sandboxes like this one, unless there is one: those with its image, memory, processors, network and
     * disk. Nothing else of the builder matters; its listener is told of a pull.
     *
     * @return the template; empty if another process makes it at present
     * @throws dev.cloche.base.ClocheException if the image cannot be obtained, or its guest does not boot
     */
    public Optional<Template> make(SandboxBuilder sandbox) {
        return sandboxes.makeTemplate(sandbox.templateSpec(), sandbox.pullListener(), Deadline.none());
    }

    /** Returns all of them, by name. */
    public List<Template> list() {
        return sandboxes.templates().list();
    }

    /**
     * Returns one of them.
     *
     * @throws dev.cloche.base.ClocheException if there is none of that name
     */
    public Template get(String name) {
        return sandboxes.templates().get(name);
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
     * Removes those that were not used for so long and those whose image is gone, as far as no sandbox runs from them.
     *
     * @return their names
     */
    public List<String> prune(Duration unusedFor) {
        return sandboxes.templates().prune(unusedFor);
    }
}
