package dev.cloche.linux;

import dev.cloche.base.RawText;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.URI;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * An open directory, to work below it in a way that no symbolic link can lead astray: everything is named by one
 * component, looked up in this very directory, and a link there is never followed. For one thread at a time.
 *
 * <p>Names are as in {@link RawText}. A name that is empty, {@code .} or {@code ..}, or has a slash or NUL, is an {@link
 * IllegalArgumentException}; what the kernel refuses is a {@link SystemCallException}.
 */
public final class DirectoryHandle implements AutoCloseable {
    private static final int AT_FDCWD = -100;
    private static final int AT_SYMLINK_NOFOLLOW = 0x100;
    private static final int AT_REMOVEDIR = 0x200;
    private static final int O_RDONLY = 0;
    private static final int O_RDWR = 2;
    private static final int O_CREAT = 0x40;
    private static final int O_EXCL = 0x80;
    private static final int O_NOCTTY = 0x100;
    private static final int O_NONBLOCK = 0x800;
    private static final int O_CLOEXEC = 0x80000;
    private static final int MAX_LINK = 4096;
    private static final int ENTRIES = 64 * 1024;

    private final OpenDescriptor descriptor;

    private DirectoryHandle(OpenDescriptor descriptor) {
        this.descriptor = descriptor;
    }

    /** Opens a directory by a path of the host's own, whose links are followed. */
    public static DirectoryHandle open(Path path) {
        return open(FileCalls.ofThisSystem(), path);
    }

    static DirectoryHandle open(FileCalls calls, Path path) {
        return openAt(calls, AT_FDCWD, raw(path.toAbsolutePath()), O_RDONLY | OpenFlags.DIRECTORY | O_CLOEXEC);
    }

    /** Returns the bytes of a path as in {@link RawText}, also where the locale cannot show them. */
    public static String raw(Path path) {
        // A path's string has lost what the locale lacks; its URI has every byte, as a percent escape or in ASCII.
        URI uri = path.toAbsolutePath().toUri();
        String escaped = uri.getRawPath();
        byte[] bytes = new byte[escaped.length()];
        int count = 0;
        for (int at = 0; at < escaped.length(); count++) {
            boolean escape = escaped.charAt(at) == '%';
            bytes[count] = (byte) (escape ? Integer.parseInt(escaped, at + 1, at + 3, 16) : escaped.charAt(at));
            at += escape ? 3 : 1;
        }
        String text = RawText.decode(Arrays.copyOf(bytes, count));
        return text.length() > 1 && text.endsWith("/") ? text.substring(0, text.length() - 1) : text;
    }

    /** Opens a directory in this one. */
    public DirectoryHandle openDirectory(String name) {
        int flags = O_RDONLY | OpenFlags.DIRECTORY | OpenFlags.NOFOLLOW | O_CLOEXEC;
        return openAt(descriptor.calls, descriptor.fd(), checked(name), flags);
    }

    private static DirectoryHandle openAt(FileCalls calls, int directory, String name, int flags) {
        return new DirectoryHandle(openDescriptor(calls, directory, name, flags, 0));
    }

    private static OpenDescriptor openDescriptor(FileCalls calls, int directory, String name, int flags, int mode) {
        try (Arena arena = Arena.ofConfined()) {
            int fd;
            do {
                fd = calls.openat(directory, OpenDescriptor.text(arena, name), flags, mode);
            } while (fd == -Errno.EINTR);
            OpenDescriptor.check("open", name, fd);
            return new OpenDescriptor(calls, fd, name);
        }
    }

    /** Makes a new file, to be written; fails if anything has the name. */
    public FileHandle createFile(String name, int mode) {
        int flags = O_RDWR | O_CREAT | O_EXCL | OpenFlags.NOFOLLOW | O_CLOEXEC;
        return new FileHandle(openDescriptor(descriptor.calls, descriptor.fd(), checked(name), flags, mode));
    }

    /** Opens a file to be read. Does not wait for the other end of a FIFO; look at its status for what was opened. */
    public FileHandle openFile(String name) {
        int flags = O_RDONLY | OpenFlags.NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC;
        return new FileHandle(openDescriptor(descriptor.calls, descriptor.fd(), checked(name), flags, 0));
    }

    /** Makes a directory; fails if anything has the name. */
    public void makeDirectory(String name, int mode) {
        try (Arena arena = Arena.ofConfined()) {
            int made = descriptor.calls.mkdirat(descriptor.fd(), checked(arena, name), mode);
            OpenDescriptor.check("mkdir", name, made);
        }
    }

    /** Makes a symbolic link; fails if anything has the name. */
    public void makeLink(String name, String target) {
        try (Arena arena = Arena.ofConfined()) {
            int made = descriptor.calls.symlinkat(
                    OpenDescriptor.text(arena, target), descriptor.fd(), checked(arena, name));
            OpenDescriptor.check("symlink", name, made);
        }
    }

    public String readLink(String name) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment target = arena.allocate(MAX_LINK);
            int size = (int) OpenDescriptor.check(
                    "readlink", name, descriptor.calls.readlinkat(descriptor.fd(), checked(arena, name), target));
            return RawText.decode(target.asSlice(0, size).toArray(ValueLayout.JAVA_BYTE));
        }
    }

    /** Returns what has the name, the link itself if it is one; empty if nothing has it. */
    public Optional<FileStatus> status(String name) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment result = arena.allocate(FileStatus.STRUCT_SIZE, Long.BYTES);
            int answer = descriptor.calls.statx(
                    descriptor.fd(), checked(arena, name), AT_SYMLINK_NOFOLLOW, FileStatus.MASK, result);
            if (answer == -Errno.ENOENT) {
                return Optional.empty();
            }
            OpenDescriptor.check("stat", name, answer);
            return Optional.of(FileStatus.of(result));
        }
    }

    /** Returns the status of this directory itself. */
    public FileStatus status() {
        return descriptor.status();
    }

    /** Renames inside of this directory; a file or link that has the name is replaced in one step. */
    public void rename(String from, String to) {
        try (Arena arena = Arena.ofConfined()) {
            int renamed = descriptor.calls.renameat(
                    descriptor.fd(), checked(arena, from), descriptor.fd(), checked(arena, to));
            OpenDescriptor.check("rename", to, renamed);
        }
    }

    /** Removes a name that is not a directory's. */
    public void removeFile(String name) {
        remove(name, 0);
    }

    /** Removes an empty directory. */
    public void removeDirectory(String name) {
        remove(name, AT_REMOVEDIR);
    }

    private void remove(String name, int flags) {
        try (Arena arena = Arena.ofConfined()) {
            OpenDescriptor.check(
                    "remove", name, descriptor.calls.unlinkat(descriptor.fd(), checked(arena, name), flags));
        }
    }

    /** Sets the owner of a name in this directory, of the link itself if it is one. */
    public void setOwner(String name, long uid, long gid) {
        try (Arena arena = Arena.ofConfined()) {
            int owned = descriptor.calls.fchownat(
                    descriptor.fd(), checked(arena, name), (int) uid, (int) gid, AT_SYMLINK_NOFOLLOW);
            OpenDescriptor.check("chown", name, owned);
        }
    }

    /** Sets the time of a name in this directory, of the link itself if it is one. */
    public void setModified(String name, Instant time) {
        try (Arena arena = Arena.ofConfined()) {
            int set = descriptor.calls.utimensat(
                    descriptor.fd(), checked(arena, name), OpenDescriptor.times(arena, time), AT_SYMLINK_NOFOLLOW);
            OpenDescriptor.check("utimens", name, set);
        }
    }

    /** Sets the mode of this directory itself; at most 07777. */
    public void setMode(int mode) {
        descriptor.setMode(mode);
    }

    /** Sets the owner of this directory itself. */
    public void setOwner(long uid, long gid) {
        descriptor.setOwner(uid, gid);
    }

    /** Sets the time of this directory itself. */
    public void setModified(Instant time) {
        descriptor.setModified(time);
    }

    /** Returns all names in this directory but {@code .} and {@code ..}, in no order. */
    public List<String> names() {
        List<String> names = new ArrayList<>();
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment entries = arena.allocate(ENTRIES, Long.BYTES);
            long filled = read(entries);
            while (filled > 0) {
                addNames(entries, filled, names);
                filled = read(entries);
            }
        }
        return names;
    }

    private long read(MemorySegment entries) {
        return descriptor.check("list", descriptor.calls.getdents64(descriptor.fd(), entries));
    }

    /** Of {@code struct linux_dirent64}: u64 inode, u64 offset, u16 length, u8 type, the name up to a NUL. */
    private static void addNames(MemorySegment entries, long filled, List<String> names) {
        long at = 0;
        while (at < filled) {
            int length = Short.toUnsignedInt(entries.get(ValueLayout.JAVA_SHORT_UNALIGNED, at + 16));
            long end = at + 19;
            while (entries.get(ValueLayout.JAVA_BYTE, end) != 0) {
                end++;
            }
            byte[] name = entries.asSlice(at + 19, end - at - 19).toArray(ValueLayout.JAVA_BYTE);
            String text = RawText.decode(name);
            if (!text.equals(".") && !text.equals("..")) {
                names.add(text);
            }
            at += length;
        }
    }

    private static MemorySegment checked(Arena arena, String name) {
        return OpenDescriptor.text(arena, checked(name));
    }

    private static String checked(String name) {
        if (name.isEmpty() || name.equals(".") || name.equals("..") || name.indexOf('/') >= 0) {
            throw new IllegalArgumentException("not one component of a path: " + name);
        }
        return name;
    }

    @Override
    public void close() {
        descriptor.close();
    }

    /** Two flags of {@code open(2)} whose numbers x86-64 and aarch64 do not share. */
    private static final class OpenFlags {
        private static final boolean ARM = System.getProperty("os.arch", "").equals("aarch64");
        static final int DIRECTORY = ARM ? 0x4000 : 0x10000;
        static final int NOFOLLOW = ARM ? 0x8000 : 0x20000;
    }
}
