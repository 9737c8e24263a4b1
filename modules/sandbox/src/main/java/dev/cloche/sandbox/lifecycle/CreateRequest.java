package dev.cloche.sandbox.lifecycle;

import dev.cloche.base.Deadline;
import dev.cloche.image.ImageDisk;
import dev.cloche.image.PullListener;
import dev.cloche.sandbox.SandboxSpec;
import dev.cloche.sandbox.directory.OwnerLock;
import dev.cloche.sandbox.record.SandboxStore;
import java.util.Optional;

/** Asks for a sandbox to be recorded, with its image, and started later. If that fails nothing is left of it. */
public record CreateRequest(SandboxContext context, SandboxTerminator terminator, SandboxSpec spec, StartPlan plan) {
    public void perform(PullListener listener, Deadline deadline) {
        SandboxStore.NewSandbox row = new SandboxStore.NewSandbox(plan.name(), spec, plan.main());
        NewSandboxes.Place place = new NewSandboxes(context, terminator).claim(row, Optional.empty());
        try (OwnerLock lock = place.lock()) {
            try {
                ImageDisk disk = context.images()
                        .acquire(
                                plan.image(),
                                plan.pullPolicy(),
                                SandboxContext.holder(place.id(), plan.name()),
                                listener,
                                deadline.orAfter(plan.timeout()));
                context.store().imageFound(place.id(), SandboxStore.FoundImage.of(disk));
            } catch (Throwable failure) {
                context.store().doom(place.id());
                terminator.cleanUnder(lock, place.id());
                throw failure;
            }
        }
    }
}
