package dev.cloche.linux;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.ToIntFunction;

/**
 * Adds up what the files below a directory take of its disk: the blocks that they have, so that the holes of a sparse file count
 * nothing, and each file once, however many names it has. No link is followed. For one thread.
 */
public final class DiskUse {
    private final ToIntFunction<List<String>> kinds;
    private final Map<Inode, Use> files = new HashMap<>();

    /**
     * Says what files of a kind take.
     *
     * @param bytes of the disk
     * @param files and directories, each once
     */
    public record Sum(long bytes, long files) {
        Sum with(Sum more) {
            return new Sum(bytes + more.bytes, files + more.files);
        }
    }

    private record Inode(long device, long number) {}

    private record Use(int kind, long bytes) {}

    private DiskUse(ToIntFunction<List<String>> kinds) {
        this.kinds = kinds;
    }

    /**
     * Adds up what is below a directory now. What comes and goes meanwhile may be in it or not.
     *
     * @param kinds says of what kind a path below the directory is, by its names; a file with several names is of the least of
     *     their kinds
     * @throws SystemCallException if a directory cannot be read
     */
    public static SortedMap<Integer, Sum> below(Path directory, ToIntFunction<List<String>> kinds) {
        DiskUse use = new DiskUse(kinds);
        try (DirectoryHandle top = DirectoryHandle.open(directory)) {
            use.add(top, List.of());
        }
        SortedMap<Integer, Sum> sums = new TreeMap<>();
        use.files.values().forEach(file -> sums.merge(file.kind(), new Sum(file.bytes(), 1), Sum::with));
        return sums;
    }

    private void add(DirectoryHandle directory, List<String> path) {
        for (String name : directory.names()) {
            Optional<FileStatus> status = directory.status(name);
            if (status.isEmpty()) {
                continue;
            }
            List<String> whole = new ArrayList<>(path);
            whole.add(name);
            add(status.get(), kinds.applyAsInt(whole));
            if (status.get().isDirectory()) {
                try (DirectoryHandle below = directory.openDirectory(name)) {
                    add(below, whole);
                } catch (SystemCallException e) {
                    if (!isGone(e)) {
                        throw e;
                    }
                }
            }
        }
    }

    /** It is no more, or a file or a link has its name now. */
    private static boolean isGone(SystemCallException failure) {
        return failure.errno() == Errno.ENOENT || failure.errno() == Errno.ENOTDIR || failure.errno() == Errno.ELOOP;
    }

    private void add(FileStatus file, int kind) {
        files.merge(
                new Inode(file.device(), file.inode()),
                new Use(kind, file.allocated()),
                (one, other) -> one.kind() <= other.kind() ? one : other);
    }
}
