package dev.cloche.qemu.guard;

import dev.cloche.base.ClocheException;
import dev.cloche.vm.PoolSlot;
import dev.cloche.vm.VmException;
import dev.cloche.vmm.FlatJson;
import dev.cloche.vmm.JsonFields;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * Reads and writes what a pool entry's directory says of its place in the pool, see docs/on-disk.md. {@code pooled} is the
 * entry itself: of all who would have it, the one who renames that file does.
 */
public final class PoolFiles {
    private static final String SLOT = "pool.json";
    private static final String POOLED = "pooled";
    private static final String CLAIMED = "claimed";
    private static final String RETIRED = "retired";
    private static final long VERSION = 1;

    private final Path directory;

    public PoolFiles(Path directory) {
        this.directory = directory;
    }

    /** Writes the slot, before the VM has its name, and so for good. */
    public void write(PoolSlot slot) throws IOException {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("version", VERSION);
        fields.put("label", slot.label());
        fields.put("maxAgeMillis", slot.maxAge().toMillis());
        Files.write(directory.resolve(SLOT), FlatJson.write(fields));
    }

    /** Returns the slot; empty if it was made for no pool, or was claimed. */
    public Optional<PoolSlot> slot() {
        Path file = directory.resolve(SLOT);
        if (!Files.exists(file) || claimed()) {
            return Optional.empty();
        }
        try {
            JsonFields fields = JsonFields.read(file, VERSION);
            return Optional.of(new PoolSlot(fields.text("label"), Duration.ofMillis(fields.number("maxAgeMillis"))));
        } catch (NoSuchFileException gone) {
            return Optional.empty();
        } catch (IOException | ArithmeticException | VmException.Invalid e) {
            throw new VmException.Storage(
                    "The pool entry in " + directory + " cannot be read: " + ClocheException.sentenceOf(e),
                    "Kill and destroy the VM by its id.",
                    e);
        }
    }

    /** Puts it on the shelf: it needs no owner from now on. */
    public void shelve() throws IOException {
        Files.write(directory.resolve(POOLED), new byte[0]);
    }

    /** Says whether it was handed out. */
    boolean claimed() {
        return Files.exists(directory.resolve(CLAIMED));
    }

    public boolean shelved() {
        return Files.exists(directory.resolve(POOLED));
    }

    public Duration age(Instant now) {
        try {
            Instant since = Files.getLastModifiedTime(directory.resolve(POOLED)).toInstant();
            return since.isBefore(now) ? Duration.between(since, now) : Duration.ZERO;
        } catch (IOException claimedOrRetired) {
            return Duration.ZERO;
        }
    }

    /** Claims it; returns false if its guard was faster, because it is too old. */
    public boolean claim() throws IOException {
        return rename(CLAIMED);
    }

    /** Takes it off its shelf, for good; returns false if it does not lie there any more. */
    public boolean retire() throws IOException {
        return rename(RETIRED);
    }

    private boolean rename(String name) throws IOException {
        try {
            Files.move(directory.resolve(POOLED), directory.resolve(name), StandardCopyOption.ATOMIC_MOVE);
            return true;
        } catch (NoSuchFileException another) {
            return false;
        }
    }
}
