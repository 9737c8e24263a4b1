package dev.cloche.bench.probe;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Finds the guards of VMs among the processes of this host. */
public final class GuardProcess {
    private static final Pattern PID = Pattern.compile("\"pid\":(\\d+)");

    private GuardProcess() {}

    /** Returns the guard of the only VM of a state root. */
    public static ProcessHandle only(Path home) throws IOException {
        try (Stream<Path> vms = Files.list(home.resolve("vms"))) {
            List<Path> records = vms.map(vm -> vm.resolve("guard.json"))
                    .filter(Files::exists)
                    .toList();
            if (records.size() != 1) {
                throw new IllegalStateException("these VMs run: " + records);
            }
            return of(records.getFirst());
        }
    }

    /**
     * Returns the guard that has written a record.
     *
     * @param record where its process id is
     */
    public static ProcessHandle of(Path record) throws IOException {
        String text = Files.readString(record);
        Matcher matcher = PID.matcher(text);
        if (!matcher.find()) {
            throw new IllegalStateException("no guard is named in " + record + ": " + text);
        }
        return ProcessHandle.of(Long.parseLong(matcher.group(1))).orElseThrow();
    }
}
