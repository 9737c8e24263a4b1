package dev.cloche.cli.terminal;

import dev.cloche.base.EnumNames;
import dev.cloche.vm.PublishedPort;
import java.util.List;

/** Writes published ports as Docker does: {@code 127.0.0.1:8080->80/tcp}. */
public final class PortText {
    private PortText() {}

    /** Returns one text for each port. */
    public static List<String> of(List<PublishedPort> ports) {
        return ports.stream().map(PortText::of).toList();
    }

    private static String of(PublishedPort port) {
        return port.hostAddress() + ":" + port.hostPort() + "->" + port.guestPort() + "/" + protocol(port);
    }

    /** Returns what is spoken on it: {@code tcp} or {@code udp}. */
    public static String protocol(PublishedPort port) {
        return EnumNames.of(port.protocol());
    }
}
