package dev.cloche.vmm.admission;

import dev.cloche.vm.VmException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.stream.Stream;

/**
 * Reads what the host has from {@code /proc} and the control groups, of version 2 where there are any.
 *
 * @param proc where proc(5) is mounted
 * @param groups where the control groups are mounted
 * @param stateRoot whose disk counts
 */
public record HostRoomReader(Path proc, Path groups, Path stateRoot) {
    private static final long KIB_PER_MIB = 1024;
    private static final long BYTES_PER_MIB = 1 << 20;

    /** Returns that of this host. */
    public static HostRoomReader of(Path stateRoot) {
        return new HostRoomReader(Path.of("/proc"), Path.of("/sys/fs/cgroup"), stateRoot);
    }

    /**
     * Reads it anew, but for what was counted of the state root.
     *
     * @throws VmException.MissingResource if the kernel does not say how much memory there is
     */
    public HostRoom read() {
        long total;
        long available;
        try {
            List<String> lines = Files.readAllLines(proc.resolve("meminfo"));
            total = field(lines, "MemTotal:") / KIB_PER_MIB;
            available = field(lines, "MemAvailable:") / KIB_PER_MIB;
        } catch (IOException e) {
            throw new VmException.MissingResource(
                    "How much memory is free cannot be read from " + proc.resolve("meminfo"),
                    "Mount /proc, or set CLOCHE_LIMITS=off, with which no VM is counted.",
                    e);
        }
        for (Path group : groupsOfThisProcess()) {
            OptionalLong most = bytes(group.resolve("memory.max"));
            if (most.isPresent()) {
                long mib = most.getAsLong() / BYTES_PER_MIB;
                total = Math.min(total, mib);
                available = Math.min(available, mib - used(group) / BYTES_PER_MIB);
            }
        }
        return new HostRoom(
                total,
                Math.max(0, available),
                pressure(),
                stateRoot.toFile().getTotalSpace() / BYTES_PER_MIB,
                stateRoot.toFile().getUsableSpace() / BYTES_PER_MIB,
                OptionalLong.empty());
    }

    /** Returns the group of this process and those around it; none where there is no version 2. */
    private List<Path> groupsOfThisProcess() {
        try {
            Optional<String> own = Files.readAllLines(proc.resolve("self/cgroup")).stream()
                    .filter(line -> line.startsWith("0::/"))
                    .findFirst();
            if (own.isEmpty()) {
                return List.of();
            }
            Path group = groups.resolve(own.get().substring("0::/".length())).normalize();
            return Stream.iterate(group, at -> at != null && at.startsWith(groups), Path::getParent)
                    .toList();
        } catch (IOException | IllegalArgumentException notToBeFound) {
            return List.of();
        }
    }

    /** What the kernel can take back at once is not in use. */
    private static long used(Path group) {
        long current = bytes(group.resolve("memory.current")).orElse(0);
        try {
            return Math.max(0, current - field(Files.readAllLines(group.resolve("memory.stat")), "inactive_file"));
        } catch (IOException e) {
            return current;
        }
    }

    private OptionalDouble pressure() {
        try {
            for (String line : Files.readAllLines(proc.resolve("pressure/memory"))) {
                if (line.startsWith("full avg10=")) {
                    return OptionalDouble.of(Double.parseDouble(
                            line.substring("full avg10=".length()).split(" ", 2)[0]));
                }
            }
        } catch (IOException | NumberFormatException notToldHere) {
            return OptionalDouble.empty();
        }
        return OptionalDouble.empty();
    }

    /** Returns a number of bytes; empty where there is none, or it is the word {@code max}. */
    private static OptionalLong bytes(Path file) {
        try {
            return OptionalLong.of(Long.parseLong(Files.readString(file).strip()));
        } catch (IOException | NumberFormatException none) {
            return OptionalLong.empty();
        }
    }

    private static long field(List<String> lines, String name) throws IOException {
        for (String line : lines) {
            if (!line.startsWith(name)) {
                continue;
            }
            String[] words = line.split("\\s+", -1);
            if (words.length >= 2 && words[0].equals(name)) {
                try {
                    return Long.parseLong(words[1]);
                } catch (NumberFormatException e) {
                    throw new IOException("no valid " + name, e);
                }
            }
        }
        throw new IOException("no " + name);
    }
}
