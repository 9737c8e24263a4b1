package dev.cloche.qemu.guard;

import dev.cloche.vm.Vm;
import dev.cloche.vm.VmHindrance;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Optional;

/**
 * Marks what owners and clients of a VM know by an empty file in the VM's directory, so that every process sees the VM's end
 * as the one that brought it about. Not forced to disk, because no VM survives a crash of its host.
 */
public enum VmNote {
    /** No boot came up; the guard's record of the last one only says that it was killed. */
    START_FAILED("start-failed"),
    /** The guest was asked to shut down; should it end without last words, that is no crash. */
    STOP_ASKED("stop-asked"),
    /** The VM outlives its owners. The guard looks at this one (docs/guard.md). */
    DETACHED("detached"),
    /** The guest is the twin of another, and runs no program before it has an identity of its own. */
    IDENTITY_OWED("identity-owed"),
    /** A guest that ran is halted only for as long as a snapshot takes. */
    CAPTURING("capturing"),
    /** A halted guest is without its image, and must not go on before that is back. */
    IMAGE_ASIDE("image-aside"),
    /** A layer was added to the disk, and whether QEMU writes to it is not known; no snapshot is possible any more. */
    LAYER_BEGUN("layer-begun"),
    /** The guest is halted at its limit, and not ended. The guard looks at this one, and makes the next one of it. */
    HOLD_AT_LIMIT("hold-at-limit"),
    /** The guest has come to its limit and is halted; with another limit it goes on. From the guard. */
    AT_LIMIT("at-limit"),
    /** A caller halted a guest that is halted at its limit: with another limit it stays so. */
    PAUSED("paused"),
    /** A caller halted a guest that was halted already, because the host's disk had failed: its guard lets it be. */
    HELD("held"),
    /** The guest is halted because the host's disk is full. From the guard, as the next two. */
    DISK_FULL("disk-full"),
    /** The guest is halted because the host's disk has failed. */
    DISK_ERROR("disk-error"),
    /** QEMU does not answer its guard. */
    SILENT("silent"),
    /** The persistent disk is recorded as of a snapshot; should the guest go on all the same, that has to go first. */
    SUSPENDED("suspended");

    private final String file;

    VmNote(String file) {
        this.file = file;
    }

    /** Leaves the note, or says why that is not possible. */
    public void leaveOrThrow(Path directory) throws IOException {
        Files.write(directory.resolve(file), new byte[0]);
    }

    /** Leaves the note. Where that fails, the VM looks worse or better than it was, and nothing else is lost. */
    public void leave(Path directory) {
        try {
            Files.write(directory.resolve(file), new byte[0]);
        } catch (NoSuchFileException gone) {
            return;
        } catch (IOException e) {
            System.getLogger(Vm.class.getName())
                    .log(System.Logger.Level.DEBUG, "a note about the VM in " + directory + " is lost", e);
        }
    }

    /** Takes the note away. Where that fails, a guest gets one more identity than it needs, or is ended where it could go on. */
    public void remove(Path directory) {
        try {
            Files.deleteIfExists(directory.resolve(file));
        } catch (IOException e) {
            System.getLogger(Vm.class.getName())
                    .log(System.Logger.Level.DEBUG, "a note about the VM in " + directory + " stays", e);
        }
    }

    public boolean isIn(Path directory) {
        return Files.exists(directory.resolve(file));
    }

    static void removeAll(Path directory) throws IOException {
        for (VmNote note : values()) {
            Files.deleteIfExists(directory.resolve(note.file));
        }
    }

    /** Tells what hinders a VM, by the notes of its directory. */
    public static Optional<VmHindrance> hindrance(Path directory) {
        if (SILENT.isIn(directory)) {
            return Optional.of(VmHindrance.SILENT);
        }
        if (DISK_ERROR.isIn(directory)) {
            return Optional.of(VmHindrance.DISK_ERROR);
        }
        if (AT_LIMIT.isIn(directory) && !DISK_FULL.isIn(directory)) {
            return Optional.of(VmHindrance.HELD);
        }
        // One who halted a guest has seen what its guard is about to note.
        return Optional.of(VmHindrance.DISK_FULL).filter(_ -> DISK_FULL.isIn(directory) || HELD.isIn(directory));
    }
}
