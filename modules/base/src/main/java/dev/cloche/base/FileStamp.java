package dev.cloche.base;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * Describes a file as it is at this moment, without reading it. No program can set the time of the last change of its inode,
 * so two equal stamps mean that the file was neither written nor replaced. What the kernel's clock cannot tell apart is not
 * seen: a write within some milliseconds of the change before. Nor is what changes below the file system, on the disk
 * itself.
 *
 * @param size in bytes
 * @param modifiedNanos when its content was last changed, in nanoseconds since 1970; can be set
 * @param changedNanos when its inode was last changed, in nanoseconds since 1970
 * @param inode its number
 */
public record FileStamp(long size, long modifiedNanos, long changedNanos, long inode) {
    /** Returns that of the file that the path leads to. */
    public static FileStamp of(Path path) throws IOException {
        Map<String, Object> attributes = Files.readAttributes(path, "unix:size,lastModifiedTime,ctime,ino");
        return new FileStamp(
                number(attributes, "size"),
                nanos(attributes, "lastModifiedTime"),
                nanos(attributes, "ctime"),
                number(attributes, "ino"));
    }

    /** Returns that of the file that the path leads to; empty if there is none. */
    public static Optional<FileStamp> find(Path path) throws IOException {
        // Most of those who ask have no file, and an exception costs more than this look.
        if (!Files.exists(path)) {
            return Optional.empty();
        }
        try {
            return Optional.of(of(path));
        } catch (NoSuchFileException goneMeanwhile) {
            return Optional.empty();
        }
    }

    private static long number(Map<String, Object> attributes, String name) {
        return (Long) Objects.requireNonNull(attributes.get(name));
    }

    private static long nanos(Map<String, Object> attributes, String name) {
        return ((FileTime) Objects.requireNonNull(attributes.get(name))).to(TimeUnit.NANOSECONDS);
    }

    /** Returns it as one word, to be kept. */
    public String state() {
        return size + ":" + modifiedNanos + ":" + changedNanos + ":" + inode;
    }
}
