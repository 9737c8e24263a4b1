package dev.cloche.vm;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;

/**
 * A file as it is at this moment, without reading it. The time of the last change of its inode cannot be set by anybody, so
 * two equal stamps mean that nobody has written to the file or replaced it.
 */
record FileStamp(Path path, long size, long modifiedNanos, long changedNanos, long inode) {
    static FileStamp of(Path path) throws IOException {
        Path real = path.toRealPath();
        Map<String, Object> attributes = Files.readAttributes(real, "unix:size,lastModifiedTime,ctime,ino");
        return new FileStamp(
                real,
                number(attributes, "size"),
                nanos(attributes, "lastModifiedTime"),
                nanos(attributes, "ctime"),
                number(attributes, "ino"));
    }

    private static long number(Map<String, Object> attributes, String name) {
        return (Long) Objects.requireNonNull(attributes.get(name));
    }

    private static long nanos(Map<String, Object> attributes, String name) {
        return ((FileTime) Objects.requireNonNull(attributes.get(name))).to(TimeUnit.NANOSECONDS);
    }

    /** All but the path, as one word. */
    String state() {
        return size + ":" + modifiedNanos + ":" + changedNanos + ":" + inode;
    }
}
