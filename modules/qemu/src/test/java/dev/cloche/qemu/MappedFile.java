package dev.cloche.qemu;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;

/**
 * A file in the memory of a process, by the kernel's word (proc_pid_smaps(5)).
 *
 * @param lines the range, its permissions and the file, then what is counted
 */
record MappedFile(List<String> lines) {
    private static final int LINES = 15;

    static MappedFile of(long pid, Path file) throws IOException {
        List<String> all = Files.readAllLines(Path.of("/proc/" + pid + "/smaps"));
        int start = IntStream.range(0, all.size())
                .filter(i -> all.get(i).endsWith(file.toString()))
                .findFirst()
                .orElseThrow();
        return new MappedFile(all.subList(start, start + LINES));
    }

    String permissions() {
        return lines.getFirst().replaceFirst("\\S+ (\\S+) .*", "$1");
    }

    long kibibytes(String name) {
        return lines.stream()
                .filter(line -> line.startsWith(name + ":"))
                .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")))
                .findFirst()
                .orElseThrow();
    }
}
