package dev.cloche.sandbox.warm;

import dev.cloche.base.Deadline;
import dev.cloche.image.ImageDisk;
import dev.cloche.image.ImageHolder;
import dev.cloche.image.ImageReference;
import dev.cloche.image.ImageStore;
import dev.cloche.image.PullListener;
import dev.cloche.linux.ProcessIdentity;
import dev.cloche.linux.ProcessName;
import dev.cloche.sandbox.SandboxSpec;
import dev.cloche.sandbox.Template;
import dev.cloche.sandbox.TemplateStore;
import dev.cloche.vm.RootDisk;
import dev.cloche.vm.VmId;
import dev.cloche.vm.VmSpec;
import dev.cloche.vm.WritableLayer;
import java.time.Clock;
import java.time.Instant;
import java.util.Optional;

/** Makes the template of an image and a size, whether a sandbox is started or not. */
public record TemplateRequest(ImageStore images, TemplateStore templates, Clock clock, SandboxSpec spec) {
    public static final String HOLDER_KIND = "template";

    /** Says whether the process lives that holds an image to make a template of it. */
    public static boolean isHeldByTheLiving(ImageHolder holder) {
        return ProcessName.isAlive(holder.id().split(" ", 2)[0]);
    }

    public Optional<Template> perform(PullListener listener, Deadline deadline) {
        ImageReference reference = ImageReference.parse(spec.image());
        String what = reference + " " + spec.memoryMib() + " " + spec.cpus();
        ImageHolder holder = new ImageHolder(HOLDER_KIND, ProcessName.of(ProcessIdentity.current()) + " " + what, what);
        ImageDisk disk = images.acquire(reference, spec.pullPolicy(), holder, listener, deadline);
        try {
            VmSpec plain =
                    vm(VmId.random(), disk, spec.memoryMib(), spec.cpus()).withNetwork(spec.network());
            VmSpec vm = spec.diskMib().isPresent()
                    ? plain.withWritable(new WritableLayer.Disk(spec.diskMib().getAsInt()))
                    : plain;
            return templates.make(vm, deadline).map(taken -> Template.of(taken, Instant.now(clock), true));
        } finally {
            images.release(holder);
        }
    }

    /** Returns what a sandbox of an image and a size boots, but for its limits. */
    public static VmSpec vm(VmId id, ImageDisk disk, int memoryMib, int cpus) {
        return VmSpec.of(
                        id,
                        RootDisk.vmdk(disk.vmdk()).withContents(disk.manifest().toString()))
                .withMemoryMiB(memoryMib)
                .withCpus(cpus);
    }
}
