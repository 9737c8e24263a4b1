package outside.suite;

import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.support.descriptor.ClassSource;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.platform.launcher.listeners.SummaryGeneratingListener;

/** Runs the suite, and says how many microseconds all of it took, and then each class. */
public final class Suite {
    private static final List<Class<?>> CLASSES = List.of(
            CustomersTest.class,
            PurchasesTest.class,
            TransactionsTest.class,
            LastItemTest.class,
            ProfilesTest.class,
            SearchTest.class,
            PagesTest.class,
            ReportsTest.class,
            TasksTest.class,
            InvoicesTest.class,
            PricesTest.class,
            BasketsTest.class,
            SessionsTest.class,
            RankingTest.class);

    private Suite() {}

    public static void main(String[] arguments) {
        SummaryGeneratingListener summary = new SummaryGeneratingListener();
        StringBuilder times = new StringBuilder();
        long begin = System.nanoTime();
        LauncherFactory.create()
                .execute(
                        LauncherDiscoveryRequestBuilder.request()
                                .selectors(CLASSES.stream()
                                        .map(each -> selectClass(each))
                                        .toList())
                                .build(),
                        summary,
                        new Clock(times));
        times.insert(0, (System.nanoTime() - begin) / 1000);
        summary.getSummary().getFailures().forEach(failure -> {
            System.err.println(failure.getTestIdentifier().getUniqueId());
            failure.getException().printStackTrace();
        });
        if (summary.getSummary().getTotalFailureCount() > 0
                || summary.getSummary().getTestsSucceededCount() < CLASSES.size()) {
            System.exit(1);
        }
        System.out.println(times);
    }

    private record Clock(StringBuilder times, Map<TestIdentifier, Long> begun) implements TestExecutionListener {
        Clock(StringBuilder times) {
            this(times, new HashMap<>());
        }

        @Override
        public void executionStarted(TestIdentifier test) {
            begun.put(test, System.nanoTime());
        }

        @Override
        public void executionFinished(TestIdentifier test, TestExecutionResult result) {
            if (test.getSource().orElse(null) instanceof ClassSource) {
                times.append(' ').append((System.nanoTime() - begun.get(test)) / 1000);
            }
        }
    }
}
