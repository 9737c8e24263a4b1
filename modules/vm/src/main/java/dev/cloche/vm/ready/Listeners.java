package dev.cloche.vm.ready;

import dev.cloche.base.Deadline;
import dev.cloche.vm.GuestFileException;
import dev.cloche.vm.GuestFiles;
import java.nio.charset.StandardCharsets;
import java.util.stream.Stream;

/** Asks the kernel of a guest which TCP ports programs listen on. */
public final class Listeners {
    private static final int MOST_SOCKETS = 16 << 20;
    /** The state of a socket that listens, in include/net/tcp_states.h. */
    private static final String LISTENS = "0A";

    private Listeners() {}

    /**
     * Returns whether a program listens on a port, on any address. No connection is made.
     *
     * @param port 1 to 65,535
     * @throws dev.cloche.vm.GuestException.CopyLimit if the guest tells of more than 16 MiB of sockets
     */
    public static boolean has(int port, GuestFiles files, Deadline deadline) {
        String wanted = ":%04X".formatted(port);
        return Stream.of("/proc/net/tcp", "/proc/net/tcp6")
                .flatMap(table -> sockets(table, files, deadline).lines().skip(1))
                .map(line -> line.strip().split(" +"))
                .anyMatch(parts -> parts.length > 3 && parts[1].endsWith(wanted) && parts[3].equals(LISTENS));
    }

    /** A kernel without IPv6 has no table of it. */
    private static String sockets(String table, GuestFiles files, Deadline deadline) {
        try {
            return new String(files.readAllBytes(table, MOST_SOCKETS, deadline), StandardCharsets.US_ASCII);
        } catch (GuestFileException.NoSuchFile none) {
            return "";
        }
    }
}
