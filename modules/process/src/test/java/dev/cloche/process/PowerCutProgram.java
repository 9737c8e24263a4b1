package dev.cloche.process;

import dev.cloche.catalog.Catalog;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * The program whose power is cut: several threads work on processes of their own and write a line for everything that the
 * registry has acknowledged, and before what can take something away. {@link PowerCutLedger} reads the lines.
 */
final class PowerCutProgram {
    private static final int ROUNDS = 40;

    private final ProcessRegistry registry;
    private final FileOutputStream acknowledgements;

    private PowerCutProgram(ProcessRegistry registry, FileOutputStream acknowledgements) {
        this.registry = registry;
        this.acknowledgements = acknowledgements;
    }

    /** Arguments: the state root, the file of acknowledgements, the number of threads, and a seed. */
    public static void main(String[] arguments) throws Exception {
        Path root = Path.of(arguments[0]);
        int threads = Integer.parseInt(arguments[2]);
        long seed = Long.parseLong(arguments[3]);
        try (FileOutputStream acknowledgements = new FileOutputStream(arguments[1]);
                Catalog catalog = Catalog.open(root, List.of(SqliteProcessStore.schema()));
                ProcessRegistry registry = ProcessRegistry.over(SqliteProcessStore.open(catalog, root));
                ExecutorService executor = Executors.newFixedThreadPool(threads)) {
            PowerCutProgram program = new PowerCutProgram(registry, acknowledgements);
            List<Future<?>> running = new ArrayList<>();
            for (int i = 0; i < threads; i++) {
                String name = "t" + i;
                SplittableRandom random = new SplittableRandom(seed + i);
                running.add(executor.submit(() -> program.work(name, random)));
            }
            for (Future<?> each : running) {
                each.get();
            }
        }
    }

    private void work(String name, SplittableRandom random) {
        for (int round = 0; round < ROUNDS; round++) {
            // Few ids, so that they come again after they were pruned.
            live(name + "-" + random.nextInt(3), name, random);
        }
    }

    private void live(String id, String thread, SplittableRandom random) {
        ProcessRecord record = registry.register(registration(id, thread));
        say("registered", id, record.hash());
        SessionScope scope = SessionScope.of(thread);
        registry.grant(scope, id, HandleDescriptor.NONE);
        say("granted", id);
        for (int i = random.nextInt(4); i >= 0; i--) {
            appended(registry.append(id, ContractFixture.note(random.nextInt(1_000))));
        }
        AppendResult waking = appended(registry.append(
                id, ContractFixture.said("x".repeat(random.nextInt(3_000))).withWakeTarget(scope)));
        say("woken", id, Long.toString(waking.event().sequence()));
        Lease lease = registry.claim(id, thread, Duration.ofHours(1));
        say("fence", id, Long.toString(lease.fence()));
        registry.renew(lease, Duration.ofHours(2));
        say("acking", id, Long.toString(waking.event().sequence()));
        registry.ackWake(id, waking.event().sequence());
        if (random.nextBoolean()) {
            appended(registry.completeWithLease(lease, ContractFixture.success(1)));
            say("ended", id, ProcessStatus.COMPLETED.word());
            say("revoking", id);
            registry.revoke(scope, id);
            say("pruning", id);
            List<String> pruned = registry.prune(ProcessPruneRequest.all().withInputTypes(Set.of(thread)));
            pruned.forEach(each -> say("pruned", each));
        } else {
            registry.release(lease);
        }
    }

    static ProcessRegistration registration(String id, String thread) {
        return ProcessRegistration.of(
                        id,
                        new ProcessInput(thread, Json.NULL),
                        new Provenance(SessionScope.of("owner"), "host", Optional.empty()))
                .withEventTypes(EventType.plain("note"), ContractFixture.WAKING);
    }

    private AppendResult appended(AppendResult appended) {
        ProcessEvent event = appended.event();
        say("event", event.processId(), Long.toString(event.sequence()), event.payloadHash());
        return appended;
    }

    /** One system call: the trace has it whole. */
    private void say(String... words) {
        try {
            acknowledgements.write((String.join(" ", words) + "\n").getBytes(StandardCharsets.UTF_8));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
