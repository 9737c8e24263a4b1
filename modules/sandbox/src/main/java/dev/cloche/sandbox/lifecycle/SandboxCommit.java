package dev.cloche.sandbox.lifecycle;

import dev.cloche.base.Deadline;
import dev.cloche.base.Uninterrupted;
import dev.cloche.image.ImageReference;
import dev.cloche.image.ImageSummary;
import dev.cloche.image.LayerChanges;
import dev.cloche.image.PullListener;
import dev.cloche.linux.LockFile;
import dev.cloche.sandbox.SandboxException;
import dev.cloche.sandbox.SandboxRecord;
import dev.cloche.vm.FileInfo;
import dev.cloche.vm.FileKind;
import dev.cloche.vm.Guest;
import dev.cloche.vm.GuestFiles;
import dev.cloche.vm.VmException;
import java.nio.ByteBuffer;
import java.time.Duration;

/** Makes images of what has changed in sandboxes. Stateless. */
public final class SandboxCommit {
    private static final Duration LONGEST_FLUSH = Duration.ofMinutes(10);

    /** How long a guest stays frozen if this process dies. */
    private static final Duration FREEZE = Duration.ofMinutes(1);

    /** How often that is prolonged. */
    private static final Duration PROLONGED = Duration.ofSeconds(10);

    private SandboxCommit() {}

    /**
     * Makes an image of the sandbox's own and what its guest has changed. A layer on a disk is frozen meanwhile, so one commit
     * comes after another: the first one's end would let the guest of the second write on.
     *
     * @throws SandboxException.Interrupted if this thread is interrupted while another commit is waited for
     */
    public static ImageSummary commit(
            SandboxContext context,
            SandboxRecord sandbox,
            Guest guest,
            ImageReference name,
            String message,
            Deadline deadline) {
        try (LockFile _ = context.locks()
                .directory(sandbox)
                .lockCommit(deadline)
                .orElseThrow(() -> new SandboxException.NotFound(sandbox.name()))) {
            return context.images()
                    .commit(
                            SandboxContext.holder(sandbox.id(), sandbox.name()),
                            name,
                            message,
                            changes -> frozen(guest, changes, deadline),
                            PullListener.none(),
                            deadline);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new SandboxException.Interrupted(sandbox.name());
        }
    }

    private static void frozen(Guest guest, LayerChanges changes, Deadline deadline) {
        Freeze freeze = new Freeze(guest, deadline);
        try {
            guest.files().changes(new Passed(changes, freeze), deadline);
            freeze.prolong();
        } catch (Throwable failure) {
            Uninterrupted.after(failure, () -> guest.thaw(Deadline.after(FREEZE)));
            throw failure;
        }
        guest.thaw(Deadline.after(FREEZE));
    }

    /** Keeps what a guest has on a disk still. For one thread. */
    private static final class Freeze {
        private final Guest guest;
        private final Deadline deadline;
        private long since;

        Freeze(Guest guest, Deadline deadline) {
            this.guest = guest;
            this.deadline = deadline;
            // The first one has to write down all that the guest has written.
            guest.freeze(LONGEST_FLUSH, deadline);
            since = System.nanoTime();
            guest.freeze(FREEZE, deadline);
        }

        /**
         * To be called again and again.
         *
         * @throws VmException.Deadline if the guest may have thawed by itself, so that what was read is of several moments
         */
        void prolong() {
            long passed = System.nanoTime() - since;
            if (passed > FREEZE.toNanos()) {
                throw new VmException.Deadline("reading what has changed while the guest is frozen");
            }
            if (passed > PROLONGED.toNanos()) {
                // Counted from before it is asked for: the guest begins its time later.
                long asked = System.nanoTime();
                guest.freeze(FREEZE, deadline);
                since = asked;
            }
        }
    }

    /** Passes on a guest's changes as those of a layer. */
    private record Passed(LayerChanges to, Freeze freeze) implements GuestFiles.Changes {
        @Override
        public void entry(FileInfo file, int major, int minor) {
            freeze.prolong();
            to.entry(new LayerChanges.Entry(
                    kind(file.kind()),
                    file.name(),
                    file.mode(),
                    file.uid(),
                    file.gid(),
                    file.size(),
                    file.modified(),
                    file.linkTarget().orElse(""),
                    major,
                    minor));
        }

        private static LayerChanges.Kind kind(FileKind kind) {
            return switch (kind) {
                case FILE -> LayerChanges.Kind.FILE;
                case DIRECTORY -> LayerChanges.Kind.DIRECTORY;
                case SYMBOLIC_LINK -> LayerChanges.Kind.SYMBOLIC_LINK;
                case FIFO -> LayerChanges.Kind.FIFO;
                case CHARACTER_DEVICE -> LayerChanges.Kind.CHARACTER_DEVICE;
                case BLOCK_DEVICE -> LayerChanges.Kind.BLOCK_DEVICE;
                case SOCKET -> throw new IllegalArgumentException("no list of changes has a socket");
            };
        }

        @Override
        public void attribute(String name, byte[] value) {
            to.attribute(name, value);
        }

        @Override
        public void opaque() {
            to.opaque();
        }

        @Override
        public void data(long offset, ByteBuffer bytes) {
            freeze.prolong();
            to.data(offset, bytes);
        }

        @Override
        public void removed(String path) {
            to.removed(path);
        }
    }
}
