package dev.cloche.process;

import static dev.cloche.process.ContractFixture.note;
import static dev.cloche.process.ContractFixture.success;

import dev.cloche.base.Deadline;
import dev.cloche.catalog.Catalog;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** The program of the tests with several processes on one file. */
final class RegistryProgram {
    private RegistryProgram() {}

    public static void main(String[] arguments) throws Exception {
        Path root = Path.of(arguments[0]);
        String name = arguments[2];
        try (Catalog catalog = Catalog.open(root, List.of(SqliteProcessStore.schema()));
                ProcessRegistry registry = ProcessRegistry.over(SqliteProcessStore.open(catalog, root))) {
            System.out.println("ready");
            // Begin together: the parent writes a line when everybody is there.
            System.in.read();
            switch (arguments[1]) {
                case "echo" -> echo(registry);
                case "append" -> append(registry, Integer.parseInt(arguments[3]));
                case "work" -> work(registry, name);
                default -> throw new IllegalArgumentException(arguments[1]);
            }
        }
    }

    /** Answers each event of "ping" with one of "pong", until "ping" ends. */
    private static void echo(ProcessRegistry registry) {
        long seen = 0;
        while (true) {
            for (ProcessEvent event :
                    registry.awaitEventsAfter("ping", seen, 100, Deadline.after(Duration.ofMinutes(5)))) {
                seen = event.sequence();
                if (event.type().equals(EventType.COMPLETED)) {
                    return;
                }
                registry.append("pong", EventAppend.of("note", event.payload()));
            }
        }
    }

    private static void append(ProcessRegistry registry, int count) throws Exception {
        int callers = 8;
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<?>> running = new ArrayList<>();
            for (int caller = 0; caller < callers; caller++) {
                running.add(threads.submit(() -> {
                    for (int i = 0; i < count / callers; i++) {
                        System.out.println(
                                registry.append("log", note(i)).event().sequence());
                    }
                }));
            }
            for (Future<?> each : running) {
                each.get();
            }
        }
    }

    /** Claims and completes until there is nothing left. */
    private static void work(ProcessRegistry registry, String name) {
        List<Claim> batch;
        do {
            batch = registry.claimNext(
                    new ClaimRequest(name, Set.of(ProcessInput.TOOL_CALL), 5, Duration.ofMinutes(1)));
            for (Claim claim : batch) {
                registry.completeWithLease(claim.lease(), success(1));
                System.out.println(claim.process().id());
            }
        } while (!batch.isEmpty());
    }
}
