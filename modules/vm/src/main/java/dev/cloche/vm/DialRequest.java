package dev.cloche.vm;

import dev.cloche.base.Incubating;
import java.nio.charset.StandardCharsets;
import java.time.Duration;

/** Says where a connection into a guest goes. Immutable. */
@Incubating
public sealed interface DialRequest {
    /** Returns how long is waited until something listens, at most a minute. */
    Duration patience();

    /** Returns the same, that waits until something listens. */
    DialRequest withPatience(Duration longest);

    /** Returns where it goes, for messages. */
    String target();

    /** Returns a request for a TCP port, without patience. */
    static Port port(int port) {
        return new Port(port, false, Duration.ZERO);
    }

    /** Returns a request for a Unix socket, as root and without patience. */
    static UnixSocket path(String path) {
        return new UnixSocket(path, "", Duration.ZERO);
    }

    private static void requirePatience(Duration patience) {
        if (patience.isNegative() || patience.compareTo(Duration.ofMinutes(1)) > 0) {
            throw new VmException.Invalid(
                    "A connection cannot be waited for as long as " + patience,
                    "Give at most a minute, and try again.");
        }
    }

    /**
     * Names a TCP port.
     *
     * @param port 1 to 65,535
     * @param asLoopback whether the peer that a server sees is 127.0.0.1 or ::1, which many trust without a password; else it
     *     is an address that the guest has for this
     * @param patience at most a minute
     */
    record Port(int port, boolean asLoopback, Duration patience) implements DialRequest {
        /** @throws VmException.Invalid if a value is out of range */
        public Port {
            if (port < 1 || port > 65_535) {
                throw new VmException.Invalid("There is no port " + port + " to connect to.", "Give 1 to 65535.");
            }
            requirePatience(patience);
        }

        /**
         * Returns the same, from 127.0.0.1 or ::1. Servers that trust every local program then trust what comes by this
         * connection: only for callers that are to have the guest's own rights.
         */
        public Port fromLoopback() {
            return new Port(port, true, patience);
        }

        @Override
        public Port withPatience(Duration longest) {
            return new Port(port, asLoopback, longest);
        }

        @Override
        public String target() {
            return "port " + port;
        }
    }

    /**
     * Names a Unix socket.
     *
     * @param path absolute, at most 107 bytes in UTF-8
     * @param user who connects, {@code name}, {@code uid}, {@code name:group} or {@code uid:gid}; empty is root
     * @param patience at most a minute
     */
    record UnixSocket(String path, String user, Duration patience) implements DialRequest {
        private static final int LONGEST = 107;

        /** @throws VmException.Invalid if a value is out of range */
        public UnixSocket {
            if (!path.startsWith("/")
                    || path.getBytes(StandardCharsets.UTF_8).length > LONGEST
                    || path.indexOf('\0') >= 0) {
                throw new VmException.Invalid(
                        "The path of a Unix socket is absolute and has at most 107 bytes.",
                        "Give the socket a shorter path, or connect to a link to it.");
            }
            if (user.indexOf('\0') >= 0) {
                throw new VmException.Invalid("No user's name has a NUL.", "Give a name or a number.");
            }
            requirePatience(patience);
        }

        /** Returns the same, by another user of the guest. */
        public UnixSocket asUser(String name) {
            return new UnixSocket(path, name, patience);
        }

        @Override
        public UnixSocket withPatience(Duration longest) {
            return new UnixSocket(path, user, longest);
        }

        @Override
        public String target() {
            return path;
        }
    }
}
