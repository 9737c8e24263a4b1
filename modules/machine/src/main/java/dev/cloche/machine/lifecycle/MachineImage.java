package dev.cloche.machine.lifecycle;

import dev.cloche.base.Deadline;
import dev.cloche.base.Printable;
import dev.cloche.image.Digest;
import dev.cloche.image.ImageDisk;
import dev.cloche.image.ImageReference;
import dev.cloche.image.PullListener;
import dev.cloche.image.PullPolicy;
import dev.cloche.machine.MachineException;
import dev.cloche.machine.PersistedMachine;
import java.util.Optional;

/** Gets the image below a machine's disk: always the one that it was made with, even if its name means another image by now. */
public final class MachineImage {
    private final MachineContext context;
    private final PullListener listener;

    public MachineImage(MachineContext context, PullListener listener) {
        this.context = context;
        this.listener = listener;
    }

    /** Returns the image of a machine that is being made; held for it from now on. */
    ImageDisk first(PersistedMachine machine, Deadline deadline) {
        return context.images()
                .acquire(reference(machine), PullPolicy.MISSING, MachineContext.holder(machine), listener, deadline);
    }

    /**
     * Returns the image of a machine.
     *
     * @throws MachineException.Unsupported if its file names none
     * @throws MachineException.WrongState if another image was put under its name by hand
     */
    public ImageDisk of(PersistedMachine machine, Deadline deadline) {
        ImageReference reference = reference(machine);
        Optional<String> digest = machine.origin().imageDigest();
        Optional<ImageDisk> held = context.images()
                .heldDisk(MachineContext.holder(machine), reference)
                .filter(disk ->
                        digest.isEmpty() || digest.get().equals(disk.manifest().toString()));
        if (held.isPresent()) {
            return held.get();
        }
        ImageDisk disk = acquire(machine, reference, deadline);
        if (digest.isEmpty() || digest.get().equals(disk.manifest().toString())) {
            return disk;
        }
        return acquire(machine, exactly(reference, digest.get()), deadline);
    }

    /** Makes again what is damaged of a machine's image, as {@link dev.cloche.image.ImageStore#mendHeld} has it. */
    boolean mend(PersistedMachine machine, Deadline deadline) {
        return context.images().mendHeld(reference(machine), MachineContext.holder(machine), listener, deadline);
    }

    private ImageDisk acquire(PersistedMachine machine, ImageReference reference, Deadline deadline) {
        return context.images()
                .acquire(reference, PullPolicy.MISSING, MachineContext.holder(machine), listener, deadline);
    }

    private static ImageReference exactly(ImageReference reference, String digest) {
        try {
            return new ImageReference(
                    reference.registry(), reference.repository(), Optional.empty(), Optional.of(Digest.parse(digest)));
        } catch (IllegalArgumentException malformed) {
            throw new MachineException.Invalid(
                    "The image_digest \"" + Printable.brief(digest) + "\" is no digest.",
                    "It is sha256: and 64 hexadecimal digits; with none, the image's name decides.");
        }
    }

    static ImageReference reference(PersistedMachine machine) {
        return ImageReference.parse(machine.origin()
                .image()
                .orElseThrow(() -> new MachineException.Unsupported(
                        "The configuration of the machine \"" + machine.name() + "\" names no image.",
                        "Say which with image = \"…\": cloche.machines().replaceConfiguration(\"" + machine.name()
                                + "\", …)")));
    }
}
