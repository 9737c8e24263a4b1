package dev.cloche.vm;

import dev.cloche.base.Printable;

/** A file operation failed in the guest. The guest says so: it may lie. */
public abstract sealed class GuestFileException extends VmException {
    private final String path;
    private final int errno;

    private GuestFileException(String code, int errno, String path, String what, String remedy) {
        super("vm.file." + code, "In the guest, '" + Printable.of(path) + "' " + what, remedy, null);
        this.path = path;
        this.errno = errno;
    }

    /** Returns which file; names that are no UTF-8 as in {@link dev.cloche.base.RawText}. */
    public final String path() {
        return path;
    }

    /** Returns the error number of Linux. */
    public final int errno() {
        return errno;
    }

    /** Returns the error of a number of Linux (asm-generic/errno.h). */
    public static GuestFileException of(int errno, String path) {
        return switch (errno) {
            case NoSuchFile.ERRNO -> new NoSuchFile(path);
            case AccessDenied.NOT_PERMITTED, AccessDenied.ERRNO -> new AccessDenied(errno, path);
            case FileExists.ERRNO -> new FileExists(path);
            case NotDirectory.ERRNO -> new NotDirectory(path);
            case IsDirectory.ERRNO -> new IsDirectory(path);
            case NotEmpty.ERRNO -> new NotEmpty(path);
            case NoSpace.ERRNO, NoSpace.QUOTA -> new NoSpace(errno, path);
            case ReadOnly.ERRNO -> new ReadOnly(path);
            case NameTooLong.ERRNO -> new NameTooLong(path);
            case TooManyLinks.ERRNO -> new TooManyLinks(path);
            case TooManyDirectories.ERRNO -> new TooManyDirectories(path);
            default -> new Other(errno, path);
        };
    }

    /** Returns the error of a number of Linux, where extended attributes were to be set. */
    public static GuestFileException ofAttributes(int errno, String path) {
        return errno == NoAttributes.ERRNO ? new NoAttributes(path) : of(errno, path);
    }

    /** Nothing has that name, or a directory of its path is missing. */
    public static final class NoSuchFile extends GuestFileException {
        public static final int ERRNO = 2;

        NoSuchFile(String path) {
            super("no-such-file", ERRNO, path, "does not exist", "Check the path.");
        }
    }

    /** The user may not do that. */
    public static final class AccessDenied extends GuestFileException {
        static final int NOT_PERMITTED = 1;
        static final int ERRNO = 13;

        AccessDenied(int errno, String path) {
            super("access-denied", errno, path, "may not be used so by this user", "Check its mode and owner.");
        }
    }

    /** Something has the name already. */
    public static final class FileExists extends GuestFileException {
        public static final int ERRNO = 17;

        FileExists(String path) {
            super("file-exists", ERRNO, path, "exists already", "Choose another name, or remove it first.");
        }
    }

    /** A part of the path, or the file itself, is no directory. */
    public static final class NotDirectory extends GuestFileException {
        public static final int ERRNO = 20;

        NotDirectory(String path) {
            super("not-a-directory", ERRNO, path, "is no directory, or leads through something that is none", "");
        }
    }

    /** It is a directory, and may not be one. */
    public static final class IsDirectory extends GuestFileException {
        public static final int ERRNO = 21;

        IsDirectory(String path) {
            super("is-a-directory", ERRNO, path, "is a directory", "");
        }
    }

    /** The directory is not empty. */
    public static final class NotEmpty extends GuestFileException {
        public static final int ERRNO = 39;

        NotEmpty(String path) {
            super("not-empty", ERRNO, path, "is a directory that is not empty", "Remove it with all that is in it.");
        }
    }

    /** The guest's disk is full, or its user's quota used up. */
    public static final class NoSpace extends GuestFileException {
        public static final int ERRNO = 28;
        static final int QUOTA = 122;

        NoSpace(int errno, String path) {
            super(
                    "no-space",
                    errno,
                    path,
                    "cannot be written: no space is left",
                    "Give the sandbox more memory or disk, or remove files in it.");
        }
    }

    /** It lies on a file system that cannot be written to. */
    public static final class ReadOnly extends GuestFileException {
        static final int ERRNO = 30;

        ReadOnly(String path) {
            super("read-only", ERRNO, path, "is on a read-only file system", "");
        }
    }

    /** The path or a part of it is too long. */
    public static final class NameTooLong extends GuestFileException {
        static final int ERRNO = 36;

        NameTooLong(String path) {
            super("name-too-long", ERRNO, path, "is too long a name", "");
        }
    }

    /** Symbolic links lead in a circle, or one is where none may be. */
    public static final class TooManyLinks extends GuestFileException {
        static final int ERRNO = 40;

        TooManyLinks(String path) {
            super("too-many-links", ERRNO, path, "leads through too many symbolic links", "");
        }
    }

    /** There are more directories than a watch can have. */
    public static final class TooManyDirectories extends GuestFileException {
        public static final int ERRNO = 7;

        TooManyDirectories(String path) {
            super(
                    "too-many-directories",
                    ERRNO,
                    path,
                    "cannot be watched with all that is below: there are more than " + FileWatch.MAX_DIRECTORIES
                            + " directories",
                    "Watch the parts that matter, each by itself.");
        }
    }

    /** Its file system has no extended attributes of users. */
    public static final class NoAttributes extends GuestFileException {
        public static final int ERRNO = 95;

        NoAttributes(String path) {
            super(
                    "no-attributes",
                    ERRNO,
                    path,
                    "cannot have extended attributes: its file system has none",
                    "A writable layer in memory has them from Linux 6.6 on in the guest, one on a disk in each.");
        }
    }

    /** Anything else; {@link #errno()} tells. */
    public static final class Other extends GuestFileException {
        public static final int IO = 5;
        public static final int INVALID = 22;
        static final int TOO_LARGE = 27;

        Other(int errno, String path) {
            super("other", errno, path, "could not be used: error number " + errno + " of Linux", "");
        }
    }
}
