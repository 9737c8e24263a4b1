package dev.cloche.qemu.guard;

import dev.cloche.vm.PublishedPort;
import dev.cloche.vm.VmException;
import dev.cloche.vmm.FlatJson;
import dev.cloche.vmm.JsonFields;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** Records which ports of the host a VM has got, in its directory, where any process can read it. */
public final class NetworkRecord {
    private static final String FILE = "network.json";
    private static final long VERSION = 1;

    private NetworkRecord() {}

    public static void write(Path directory, List<PublishedPort> ports) throws IOException {
        Files.write(directory.resolve(FILE), FlatJson.write(Map.of("version", VERSION, "ports", text(ports))));
    }

    /** Returns the ports; none where there is no record. */
    public static List<PublishedPort> read(Path directory) throws IOException {
        try {
            return ports(JsonFields.read(directory.resolve(FILE), VERSION).text("ports"));
        } catch (NoSuchFileException noNetwork) {
            return List.of();
        }
    }

    public static String text(List<PublishedPort> ports) {
        return ports.stream().map(PublishedPort::toString).collect(Collectors.joining(" "));
    }

    public static List<PublishedPort> ports(String text) throws IOException {
        try {
            List<PublishedPort> ports = new ArrayList<>();
            for (String word : text.split(" ", -1)) {
                if (!word.isEmpty()) {
                    ports.addAll(PublishedPort.parse(word));
                }
            }
            return List.copyOf(ports);
        } catch (VmException.Invalid e) {
            throw new IOException("no valid ports", e);
        }
    }
}
