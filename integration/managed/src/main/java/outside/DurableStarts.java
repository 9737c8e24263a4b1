package outside;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.cloche.Cloche;
import dev.cloche.ProcessLog;
import dev.cloche.process.ProcessStatus;
import dev.cloche.process.ProcessView;
import dev.cloche.vm.OutputLogEntry;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;

/**
 * Starts 200 durable commands from several threads while the same program drives commands, so that the starter and the driver
 * reach for each of them at once, and requires of each its end and what it wrote. Exits with 1 if anything is not as it should be.
 */
public final class DurableStarts {
    private static final int STARTS = 200;
    private static final Duration LONG = Duration.ofMinutes(10);

    private DurableStarts() {}

    public static void main(String[] args) throws Exception {
        Cloche.prepare();
        try (Cloche cloche = Cloche.open();
                ExecutorService threads = Executors.newFixedThreadPool(4)) {
            var _ = cloche.sandbox("base")
                    .name("box")
                    .memoryMib(256)
                    .command("sleep", "3600")
                    .detached()
                    .start();
            try {
                cloche.driveCommands();
                List<Callable<String>> starts = IntStream.range(0, STARTS)
                        .mapToObj(i -> (Callable<String>) () -> start(cloche, i))
                        .toList();
                List<String> ids = threads.invokeAll(starts).stream()
                        .map(Future::resultNow)
                        .toList();
                require(new HashSet<>(ids).size(), STARTS);
                for (int i = 0; i < STARTS; i++) {
                    ProcessView end =
                            cloche.processes().await(ids.get(i), LONG).orElseThrow();
                    require(end.status(), ProcessStatus.COMPLETED);
                    require(output(cloche, ids.get(i)), "command " + i + "\n");
                }
                require(cloche.processes().list(true).size(), STARTS);
                require(cloche.processes().list(false).size(), 0);
            } finally {
                cloche.sandboxes().remove("box", true);
            }
        }
        System.out.println("as it should be");
    }

    private static String start(Cloche cloche, int i) {
        return cloche.processes()
                .command("box", "echo", "command " + i)
                .start()
                .id();
    }

    private static String output(Cloche cloche, String id) {
        StringBuilder output = new StringBuilder();
        try (ProcessLog log = cloche.processes().log(id)) {
            for (Optional<OutputLogEntry> entry = log.next(); entry.isPresent(); entry = log.next()) {
                output.append(UTF_8.decode(entry.get().bytes()));
            }
        }
        return output.toString();
    }

    private static void require(Object actual, Object expected) {
        if (!actual.equals(expected)) {
            throw new AssertionError(actual + " for " + expected);
        }
    }
}
