package dev.cloche.junit;

import dev.cloche.Sandbox;
import dev.cloche.base.ClocheException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Store.CloseableResource;

/** The sandboxes of a test, or of a class. Closed by JUnit at its end. Thread-safe. */
final class TestSandboxes implements CloseableResource, AutoCloseable {
    private static final String PUBLISHED = "published ";

    private final Deque<TestSandbox> open = new ArrayDeque<>();

    private TestSandboxes() {}

    /** Starts one that ends with the test or the class of the context. */
    static Sandbox start(ExtensionContext context, SandboxSettings settings) {
        TestSandbox started = TestRun.of(context).start(settings);
        // By the name of the context, for the store of a test has what that of its class has.
        context.getStore(TestRun.NAMESPACE)
                .getOrComputeIfAbsent(context.getUniqueId(), key -> new TestSandboxes(), TestSandboxes.class)
                .add(started);
        // Only now, so that the report of a failure has what the command wrote.
        started.awaitReady(settings);
        return started.sandbox();
    }

    /** Publishes what the sandboxes of a test that has failed wrote, those of its classes too; once for each test. */
    static void publishOutput(ExtensionContext test) {
        Optional<Throwable> failure = test.getExecutionException();
        ExtensionContext.Store store = test.getStore(TestRun.NAMESPACE);
        String published = PUBLISHED + test.getUniqueId();
        if (failure.isEmpty() || store.get(published) != null) {
            return;
        }
        store.put(published, true);
        for (Optional<ExtensionContext> context = Optional.of(test);
                context.isPresent();
                context = context.get().getParent()) {
            TestSandboxes sandboxes =
                    context.get().getStore(TestRun.NAMESPACE).get(context.get().getUniqueId(), TestSandboxes.class);
            if (sandboxes != null) {
                sandboxes.all().forEach(sandbox -> publish(test, failure.get(), sandbox));
            }
        }
    }

    private static void publish(ExtensionContext test, Throwable failure, TestSandbox sandbox) {
        sandbox.output().ifPresent(output -> {
            test.publishReportEntry(
                    Map.of("sandbox", sandbox.sandbox().name(), "image", sandbox.image(), "output", output));
            // Surefire drops report entries.
            failure.addSuppressed(new SandboxOutput(sandbox.sandbox().name(), sandbox.image(), output));
        });
    }

    private synchronized void add(TestSandbox sandbox) {
        open.push(sandbox);
    }

    private synchronized List<TestSandbox> all() {
        return List.copyOf(open);
    }

    /** Ends the latest first. */
    @Override
    public void close() {
        @Nullable ClocheException failure = null;
        for (TestSandbox sandbox : all()) {
            try {
                sandbox.sandbox().close();
            } catch (ClocheException e) {
                if (failure == null) {
                    failure = e;
                } else {
                    failure.addSuppressed(e);
                }
            }
        }
        if (failure != null) {
            throw failure;
        }
    }
}
