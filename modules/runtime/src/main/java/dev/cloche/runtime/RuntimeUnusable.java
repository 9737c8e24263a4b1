package dev.cloche.runtime;

import dev.cloche.base.ClocheException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** Reports why the runtime artefact cannot be used on this host. */
public abstract sealed class RuntimeUnusable extends ClocheException {
    private static final String ELSEWHERE = "Name another directory by the system property cloche.runtime.dir.";

    private RuntimeUnusable(String code, String sentence, String remedy, @Nullable Throwable cause) {
        super(code, sentence, remedy, cause);
    }

    /** Reports an artefact whose index or contents are not as they were built. */
    public static final class Damaged extends RuntimeUnusable {
        Damaged(String what) {
            super("runtime.damaged", "The runtime artefact is damaged: " + what, "Fetch its jar again.", null);
        }
    }

    /** Reports a {@code runtime.json} that cannot be used. Code {@code runtime.manifest}. */
    public static final class Unreadable extends RuntimeUnusable {
        Unreadable(Path file, String why) {
            super(
                    "runtime.manifest",
                    "What the runtime consists of cannot be read from " + file + ": " + why + ".",
                    "Use a runtime that is whole, of the version of this library.",
                    null);
        }
    }

    /** Reports a runtime that is too old or too new for this library. Code {@code runtime.mismatch}. */
    public static final class Mismatch extends RuntimeUnusable {
        private static final String TOO_OLD = "Use a newer runtime, or an older library.";

        private Mismatch(Path directory, String version, String what, String remedy) {
            super("runtime.mismatch", "The runtime " + version + " in " + directory + " " + what + ".", remedy, null);
        }

        static Mismatch ofProtocol(Path directory, String version, int protocol) {
            return new Mismatch(
                    directory,
                    version,
                    "speaks version " + protocol + " of the guest protocol, and this library "
                            + RuntimeManifest.OLDEST_GUEST_PROTOCOL + " to " + RuntimeManifest.NEWEST_GUEST_PROTOCOL,
                    protocol < RuntimeManifest.OLDEST_GUEST_PROTOCOL
                            ? TOO_OLD
                            : "Use a newer library, or an older runtime.");
        }

        static Mismatch ofGuard(Path directory, String version, int guard) {
            return new Mismatch(
                    directory,
                    version,
                    "has a guard that takes version " + guard + " of the options, and this library needs "
                            + RuntimeManifest.OLDEST_GUARD,
                    TOO_OLD);
        }
    }

    /** Reports that there is no directory to unpack it to. */
    public static final class NoDirectory extends RuntimeUnusable {
        NoDirectory() {
            super(
                    "runtime.no-directory",
                    "This user has no home directory that the runtime could be unpacked to",
                    "Name a directory by the system property cloche.runtime.dir, or set XDG_CACHE_HOME.",
                    null);
        }
    }

    /** Reports a directory in which another user could replace what guests run on. */
    public static final class Untrusted extends RuntimeUnusable {
        Untrusted(Path directory, String why) {
            super(
                    "runtime.untrusted-directory",
                    "The runtime is not unpacked below " + directory + ", because " + why,
                    "Correct its owner and mode. " + ELSEWHERE,
                    null);
        }
    }

    /** Reports a directory that cannot be written, or a disk that is full. */
    public static final class Storage extends RuntimeUnusable {
        Storage(Path directory, Throwable cause) {
            super(
                    "runtime.storage",
                    "The runtime cannot be unpacked to " + directory + ": " + sentenceOf(cause),
                    "Check its owner, its mode and the space on its disk. " + ELSEWHERE,
                    cause);
        }
    }

    /** Reports a file system on which no program can run. */
    public static final class NotExecutable extends RuntimeUnusable {
        NotExecutable(Path program) {
            super(
                    "runtime.not-executable",
                    "The program " + program + " cannot be executed; its file system may be mounted noexec",
                    ELSEWHERE,
                    null);
        }
    }

    /** Reports that another process did not end unpacking it in time, or that this thread was interrupted. */
    public static final class Busy extends RuntimeUnusable {
        Busy(Path directory, String why) {
            super("runtime.busy", "The runtime could not be unpacked to " + directory + ": " + why, "Try again.", null);
        }
    }
}
