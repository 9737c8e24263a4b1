package dev.cloche.process;

import dev.cloche.catalog.Catalog;
import dev.cloche.process.store.ProcessStore;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * The program that {@link WorkerKillContract} kills: a worker whose driver appends notes, and says so after each. It takes
 * no last step before a line is written to it, so that there is work left to be killed in.
 */
public final class WorkerProgram {
    /** Of its leases. */
    static final Duration TTL = Duration.ofSeconds(2);

    static final int STEPS = 40;

    private static final CountDownLatch MAY_END = new CountDownLatch(1);

    private WorkerProgram() {}

    /** Over SQLite; arguments: the state root and the owner. */
    public static void main(String[] arguments) throws Exception {
        Path root = Path.of(arguments[0]);
        try (Catalog catalog = Catalog.open(root, List.of(SqliteProcessStore.schema()))) {
            work(SqliteProcessStore.open(catalog, root), arguments[1]);
        }
    }

    /** Until standard input ends. */
    public static void work(ProcessStore store, String owner) throws Exception {
        WorkerConfig config = WorkerConfig.of(owner, Set.of(ProcessInput.TOOL_CALL))
                .withConcurrency(3)
                .withWindows(TTL, Duration.ofHours(1), Duration.ofSeconds(10));
        try (ProcessRegistry registry = ProcessRegistry.over(store);
                ProcessWorker worker = ProcessWorker.start(registry, config, WorkerProgram::drive)) {
            System.out.println("ready");
            System.in.read();
            MAY_END.countDown();
            System.in.readAllBytes();
            System.out.println("ends with " + worker.busy());
        }
    }

    /** Goes on where the one before it was lost: the log says how far it came. */
    private static Optional<AwaitOutput> drive(DrivenProcess process) throws InterruptedException {
        long fence = process.lease().fence();
        for (long step = process.process().lastSequence(); step < STEPS; step++) {
            if (step == STEPS - 1) {
                MAY_END.await();
            }
            AppendResult appended = process.append(ContractFixture.note(fence));
            System.out.println(process.process().id() + " " + appended.event().sequence() + " " + fence);
            TimeUnit.MILLISECONDS.sleep(25);
        }
        return Optional.of(ContractFixture.success(STEPS));
    }
}
