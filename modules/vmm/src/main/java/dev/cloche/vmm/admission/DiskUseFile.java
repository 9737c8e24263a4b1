package dev.cloche.vmm.admission;

import dev.cloche.base.Deadline;
import dev.cloche.base.DurableFiles;
import dev.cloche.linux.DiskUse;
import dev.cloche.vm.VmException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.OptionalLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Keeps what the state root was last counted to take of its disk, see docs/on-disk.md. */
final class DiskUseFile {
    static final String NAME = "disk-use";

    /** The version, and the bytes. */
    private static final Pattern LINE = Pattern.compile("1 ([0-9]{1,18})\n");

    private static final int MOST_BYTES = 64;
    private static final int MIB_BITS = 20;

    private DiskUseFile() {}

    /**
     * Counts it anew: blocks, and each file once. What comes and goes meanwhile may be in it or not.
     *
     * @throws VmException.Deadline if that takes longer
     * @throws dev.cloche.linux.SystemCallException if a directory cannot be read
     */
    static void count(Path stateRoot, Deadline deadline) throws IOException {
        long bytes = DiskUse.below(stateRoot, _ -> one(deadline)).values().stream()
                .mapToLong(DiskUse.Sum::bytes)
                .sum();
        DurableFiles.write(stateRoot.resolve(NAME), ("1 " + bytes + "\n").getBytes(StandardCharsets.US_ASCII));
    }

    private static int one(Deadline deadline) {
        if (deadline.passed()) {
            throw new VmException.Deadline("the count of what the state root takes of its disk");
        }
        return 1;
    }

    /** Returns what was counted last; empty if nothing was, or it is not understood. */
    static OptionalLong readMiB(Path stateRoot) {
        try (InputStream in = Files.newInputStream(stateRoot.resolve(NAME))) {
            Matcher line = LINE.matcher(new String(in.readNBytes(MOST_BYTES), StandardCharsets.US_ASCII));
            return line.matches() ? OptionalLong.of(Long.parseLong(line.group(1)) >> MIB_BITS) : OptionalLong.empty();
        } catch (IOException none) {
            return OptionalLong.empty();
        }
    }
}
