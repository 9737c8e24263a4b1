package dev.cloche.sandbox.warm;

import dev.cloche.base.Deadline;
import dev.cloche.image.ImageConfig;
import dev.cloche.image.ImageDisk;
import dev.cloche.image.ImageHolder;
import dev.cloche.image.ImageStore;
import dev.cloche.image.PullListener;
import dev.cloche.image.PullPolicy;
import dev.cloche.pool.StackKey;
import dev.cloche.sandbox.PoolShape;
import dev.cloche.sandbox.SandboxException;
import dev.cloche.sandbox.SandboxSnapshot;
import dev.cloche.sandbox.Template;
import dev.cloche.sandbox.TemplateStore;
import dev.cloche.sandbox.record.PoolRow;
import dev.cloche.sandbox.record.SnapshotNames;
import dev.cloche.sandbox.record.SnapshotStore;
import dev.cloche.vm.SnapshotName;
import dev.cloche.vm.SnapshotRef;
import dev.cloche.vm.VmId;
import dev.cloche.vm.VmSpec;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/**
 * Says what the VMs of pools come from: an image that is held for each pool, and its template; or a template that was prepared,
 * which holds its image itself.
 */
public record PoolSources(
        ImageStore images,
        TemplateStore templates,
        SnapshotStore snapshots,
        Function<SnapshotName, Optional<SnapshotRef>> memories) {
    static final String HOLDER_KIND = "pool";
    /** For an image that is to be pulled and a template that is to be made. */
    private static final Duration LIMIT = Duration.ofMinutes(30);

    /**
     * Says what the VMs of a pool are of and restored from at present.
     *
     * @param interpreter the words of the recipe for the driver that runs in each of them, if one does
     */
    public record Source(StackKey key, SnapshotRef snapshot, ImageConfig config, Optional<List<String>> interpreter) {}

    /**
     * Finds the image and the template of a pool; pulls and makes them where they are missing.
     *
     * @throws dev.cloche.base.ClocheException if there is none
     */
    Source of(PoolRow row, PullListener listener) throws InterruptedException {
        Optional<String> template = row.shape().template();
        return template.isPresent() ? ofTemplate(row, template.get()) : ofImage(row, listener);
    }

    private Source ofTemplate(PoolRow row, String name) {
        SandboxSnapshot prepared = snapshots
                .byName(name)
                .filter(SandboxSnapshot::prepared)
                .orElseThrow(() -> new SandboxException.NoTemplate(name));
        if (!PoolShape.of(prepared).equals(row.shape())) {
            throw new SandboxException.InvalidSpecification(
                    "The template \"" + name + "\" has another image, size or network than its pool was set for.",
                    "Remove the pool and set it again.");
        }
        SnapshotRef memory = memories.apply(SnapshotNames.ofVm(prepared.id()))
                .orElseThrow(() -> new SandboxException.NoTemplate(name));
        ImageConfig config = images.heldConfig(SnapshotNames.holder(prepared.id(), name))
                .orElseThrow(() -> new SandboxException.NoTemplate(name));
        return new Source(
                row.shape().key(row.policy().version(memory.name().value())),
                memory,
                config,
                snapshots.recipe(prepared.id()).flatMap(Template.Recipe::interpreter));
    }

    private Source ofImage(PoolRow row, PullListener listener) throws InterruptedException {
        Deadline deadline = Deadline.after(LIMIT);
        PoolShape shape = row.shape();
        ImageDisk disk = images.acquire(shape.image(), PullPolicy.MISSING, holder(row.id(), shape), listener, deadline);
        VmSpec vm = TemplateRequest.vm(VmId.random(), disk, shape.memoryMib(), shape.cpus())
                .withNetwork(shape.vmNetwork());
        SnapshotRef template = templates.ensure(vm, deadline);
        return new Source(
                shape.key(row.policy().version(templates.name(vm).value())), template, disk.config(), Optional.empty());
    }

    private static ImageHolder holder(long pool, PoolShape shape) {
        return new ImageHolder(HOLDER_KIND, Long.toString(pool), shape.image().toString());
    }

    /** Lets go of the images of pools that are gone, also of those whose remover was killed. */
    void releaseOthers(List<PoolRow> rows) {
        List<String> pools = rows.stream().map(row -> Long.toString(row.id())).toList();
        images.holders(HOLDER_KIND).stream()
                .filter(holder -> !pools.contains(holder.id()))
                .forEach(images::release);
    }
}
