package dev.cloche.qemu.snapshot;

import dev.cloche.base.DurableFiles;
import dev.cloche.base.FileStamp;
import dev.cloche.linux.ProcessIdentity;
import dev.cloche.vmm.FlatJson;
import dev.cloche.vmm.JsonFields;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;

/**
 * A snapshot's memory, and whether it is still what was written: QEMU opens the file of a template for writing although it only
 * maps a copy of it, so a guest that broke out of one could change what all later clones wake up with.
 *
 * <p>The content is read once in each boot of the host, and whenever the file's stamps are not those that it had then: every
 * way of writing changes them. What that does not catch is said in docs/on-disk.md.
 */
public final class SnapshotMemory {
    /** Which state of the memory was found good, in which boot of the host. */
    public static final String CHECKED = "checked";

    private static final long VERSION = 1;
    private static final String BOOT = "boot";
    private static final String STAMP = "stamp";
    private static final Set<PosixFilePermission> OWNERS_ALONE = PosixFilePermissions.fromString("rw-------");
    /** The kernel's stamps have the granularity of its tick, some milliseconds. */
    private static final long SETTLED_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final Path directory;
    private final Path file;

    /** @param directory of the snapshot */
    SnapshotMemory(Path directory) {
        this.directory = directory;
        file = directory.resolve(QemuCapture.MEMORY);
    }

    /** Forces the memory to disk, and works out meanwhile what it is. Its writer has ended. */
    MemoryDigest seal() throws IOException {
        CompletableFuture<String> digest = CompletableFuture.supplyAsync(
                this::digest,
                work -> Thread.ofPlatform().daemon().name("cloche-digest").start(work));
        DurableFiles.force(file);
        try {
            MemoryDigest seal =
                    new MemoryDigest(digest.join(), FileStamp.of(file).state());
            note(seal.stamp());
            return seal;
        } catch (CompletionException e) {
            throw e.getCause() instanceof UncheckedIOException failure ? failure.getCause() : new IOException(e);
        }
    }

    private String digest() {
        try {
            return SparseDigest.of(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * Makes sure that the memory is what was written before a guest continues with it.
     *
     * @throws IOException if it is not, or cannot be read
     */
    void require(SnapshotManifest manifest) throws IOException {
        keepPrivate(file);
        requireSize(manifest);
        // Programs of before wrote no seal.
        if (manifest.seal().isPresent() && !isChecked(FileStamp.of(file).state())) {
            verify(manifest.seal().get());
        }
    }

    /**
     * Reads all of it, even if a check is on record.
     *
     * @throws IOException if it is not what was written, or cannot be read
     */
    void read(SnapshotManifest manifest) throws IOException {
        requireSize(manifest);
        if (manifest.seal().isPresent()) {
            verify(manifest.seal().get());
        }
    }

    /** Programs of before made files that the mode of their directory alone kept from others. */
    static void keepPrivate(Path file) throws IOException {
        if (!Files.getPosixFilePermissions(file).equals(OWNERS_ALONE)) {
            Files.setPosixFilePermissions(file, OWNERS_ALONE);
        }
    }

    private void requireSize(SnapshotManifest manifest) throws IOException {
        if (Files.size(file) != manifest.memoryBytes()) {
            throw new IOException("its memory has " + Files.size(file) + " bytes, not " + manifest.memoryBytes());
        }
    }

    private void verify(MemoryDigest seal) throws IOException {
        long now = TimeUnit.MILLISECONDS.toNanos(System.currentTimeMillis());
        // After this a write through a mapping that is there already changes the stamps once more.
        DurableFiles.force(file);
        FileStamp before = FileStamp.of(file);
        String found = SparseDigest.of(file);
        FileStamp after = FileStamp.of(file);
        if (!found.equals(seal.digest())) {
            throw new IOException("its memory is not what was written"
                    + (before.state().equals(seal.stamp()) ? "" : "; the file was changed since"));
        }
        if (!after.equals(before)) {
            throw new IOException("its memory is written to while it is read");
        }
        if (now - after.changedNanos() > SETTLED_NANOS) {
            remember(after.state());
        }
    }

    private boolean isChecked(String stamp) {
        try {
            JsonFields fields = JsonFields.read(directory.resolve(CHECKED), VERSION);
            return fields.text(STAMP).equals(stamp)
                    && ProcessIdentity.currentBootId()
                            .filter(fields.text(BOOT)::equals)
                            .isPresent();
        } catch (IOException notYet) {
            return false;
        }
    }

    /** It is only a memory: without it the content is read once more. */
    private void remember(String stamp) {
        try {
            note(stamp);
        } catch (IOException e) {
            System.getLogger(SnapshotMemory.class.getName())
                    .log(System.Logger.Level.DEBUG, "the memory in " + directory + " will be read again", e);
        }
    }

    private void note(String stamp) throws IOException {
        Map<String, Object> fields =
                Map.of("version", VERSION, BOOT, ProcessIdentity.currentBootId().orElse(""), STAMP, stamp);
        // Not forced to disk: it does not outlive this boot.
        Path temporary = DurableFiles.temporaryBeside(directory.resolve(CHECKED));
        try {
            Files.write(temporary, FlatJson.write(fields));
            Files.move(temporary, directory.resolve(CHECKED), StandardCopyOption.ATOMIC_MOVE);
        } catch (Throwable failure) {
            DurableFiles.deleteAfter(failure, temporary);
            throw failure;
        }
    }
}
