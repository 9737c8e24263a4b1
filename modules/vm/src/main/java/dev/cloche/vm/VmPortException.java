package dev.cloche.vm;

import org.jspecify.annotations.Nullable;

/** A port of the host cannot be published: it is in use, not this user's to bind, or its address is not the host's. */
public final class VmPortException extends VmException {
    private final PublishedPort port;

    public VmPortException(PublishedPort port, @Nullable Throwable cause) {
        super(
                "vm.port",
                "The port " + port.hostEnd() + " of the host cannot be published"
                        + (cause == null || cause.getMessage() == null ? "" : ": " + cause.getMessage()),
                "End what uses it, publish another port of the host, or 0 for any that is free;"
                        + " ports below 1024 are for root.",
                cause);
        this.port = port;
    }

    /** The one that is to blame. */
    public PublishedPort port() {
        return port;
    }
}
