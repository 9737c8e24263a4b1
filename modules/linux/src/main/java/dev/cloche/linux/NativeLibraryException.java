package dev.cloche.linux;

import java.util.Objects;

/** Reports that the native library of a jar on the class path cannot be loaded. Code {@code linux.native-library}. */
public final class NativeLibraryException extends LinuxException {
    /**
     * @param library its name, for people
     * @param cause what the JVM or the library's own loader reports
     */
    public NativeLibraryException(String library, Throwable cause) {
        super(
                "linux.native-library",
                "The native library of " + library + " cannot be loaded: " + reason(cause) + ".",
                "It is unpacked to the temporary directory " + LibraryDirectory.current()
                        + ", which must be writable and not be mounted noexec; name another with CLOCHE_TMP.",
                cause);
    }

    /** Returns the message of the last cause: those above it say that a class cannot be initialized, but not why. */
    private static String reason(Throwable failure) {
        Throwable last = failure;
        // Not longer than any real chain, so that a circle ends.
        for (int depth = 0; depth < 20 && last.getCause() != null; depth++) {
            last = Objects.requireNonNull(last.getCause());
        }
        String message =
                Objects.requireNonNullElse(last.getMessage(), last.getClass().getName());
        return message.strip().replaceAll("\\s*\\R\\s*", "; ").replaceAll("\\.$", "");
    }
}
