package dev.cloche.linux;

/** This operating system or processor is none that Cloche knows. */
public final class UnsupportedSystemException extends LinuxException {
    UnsupportedSystemException(String system) {
        super("linux.unsupported", "Cloche does not run on " + system, "Use Linux on x86-64 or aarch64.");
    }
}
