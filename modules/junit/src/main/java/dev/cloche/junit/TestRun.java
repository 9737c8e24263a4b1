package dev.cloche.junit;

import dev.cloche.Cloche;
import dev.cloche.ClocheOptions;
import dev.cloche.HealthCheck;
import dev.cloche.SandboxInfo;
import dev.cloche.SandboxQuery;
import dev.cloche.vm.Network;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ExtensionContext.Store.CloseableResource;

/**
 * What the tests of a run share. Closed by JUnit at the end of the run: JUnit 5.12 closes what is a {@link CloseableResource},
 * later ones what is an {@link AutoCloseable}. Thread-safe.
 */
final class TestRun implements CloseableResource, AutoCloseable {
    static final Namespace NAMESPACE = Namespace.create(TestRun.class);
    private static final String HOME = "cloche.home";
    /** By which the run's sandboxes are found, under any name. */
    private static final String LABEL = "dev.cloche.junit.run";

    /** The pool stays in the state root, for other forks; without demand it costs nothing. */
    private static final Duration COLD_AFTER = Duration.ofMinutes(5);

    private final ClocheOptions options;
    /** Depths of the pools that this run has set. */
    private final Map<PoolOfRun, Integer> pools = new HashMap<>();

    private final String id = UUID.randomUUID().toString();
    private @Nullable List<HealthCheck> checks;
    private @Nullable Cloche cloche;

    private TestRun(ClocheOptions options) {
        this.options = options;
    }

    static TestRun of(ExtensionContext context) {
        return context.getRoot()
                .getStore(NAMESPACE)
                .getOrComputeIfAbsent(TestRun.class, key -> new TestRun(options(context)), TestRun.class);
    }

    private static ClocheOptions options(ExtensionContext context) {
        ClocheOptions options = ClocheOptions.ofEnvironment();
        return context.getConfigurationParameter(HOME)
                .map(home -> options.withHome(Path.of(home)))
                .orElse(options);
    }

    /** Returns why this host cannot run VMs; empty if it can. */
    synchronized Optional<String> hindrance() {
        if (checks == null) {
            checks = Cloche.examine(options);
        }
        return checks.stream()
                .filter(check -> check.verdict() == HealthCheck.Verdict.FAILURE)
                .map(check -> (check.finding() + " " + check.fix()).strip())
                .findFirst();
    }

    synchronized Cloche cloche() {
        if (cloche == null) {
            cloche = Cloche.open(options);
        }
        return cloche;
    }

    TestSandbox start(SandboxSettings settings) {
        if (settings.pool() > 0) {
            keepPool(settings);
        }
        return TestSandbox.start(cloche().sandbox(settings.image()).label(LABEL, id), settings);
    }

    /** Sets the pool of these sandboxes, unless this run has set one that is as deep. */
    private synchronized void keepPool(SandboxSettings settings) {
        PoolOfRun pool = new PoolOfRun(settings.image(), settings.memoryMib(), settings.cpus(), settings.network());
        if (pools.getOrDefault(pool, 0) < settings.pool()) {
            cloche().pools()
                    .pool(pool.image())
                    .memoryMib(pool.memoryMib())
                    .cpus(pool.cpus())
                    .network(pool.network())
                    .depth(settings.pool())
                    .coldAfter(COLD_AFTER)
                    .set();
            pools.put(pool, settings.pool());
        }
    }

    private record PoolOfRun(String image, int memoryMib, int cpus, Network network) {}

    /** @throws TestSandboxException.Left if sandboxes of the run were there; they are not any more */
    @Override
    public synchronized void close() {
        if (cloche == null) {
            return;
        }
        List<String> left;
        try (Cloche open = cloche) {
            left = open.sandboxes().list(SandboxQuery.all().label(LABEL, id)).sandboxes().stream()
                    .map(SandboxInfo::name)
                    .toList();
            left.forEach(name -> open.sandboxes().remove(name, true));
        }
        if (!left.isEmpty()) {
            throw new TestSandboxException.Left(left);
        }
    }
}
