package outside;

import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import dev.cloche.Cloche;
import dev.cloche.Sandbox;
import dev.cloche.junit.ClocheExtension;
import dev.cloche.junit.Sandboxed;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

/**
 * What {@code @Sandboxed} adds to {@code sandbox().start()}: two tests in turn, one of which is given its sandbox and the other
 * of which starts and closes it, from a pool of the test run that is full. From when JUnit begins a test until it has a sandbox,
 * and until JUnit has ended it. Arguments: rounds.
 */
public final class SandboxedShare {
    private static final int WARM_UP = 20;
    private static int rounds;
    private static long begin;
    private static long handedOver;

    private SandboxedShare() {}

    @ParameterizedClass
    @MethodSource("outside.SandboxedShare#rounds")
    @ExtendWith(ClocheExtension.class)
    record Tests(int round) {
        @BeforeAll
        static void pool(Cloche cloche) {
            cloche.pools().pool("base").memoryMib(192).depth(1).set();
        }

        /** Before the clock starts for what is measured: see {@link Clock}. */
        @BeforeEach
        void full(Cloche cloche) throws InterruptedException {
            // Parameters of a test are resolved after this.
            while (cloche.pools().list().getFirst().ready() == 0) {
                Thread.sleep(5);
            }
            begin = System.nanoTime();
        }

        @Test
        void started(Cloche cloche) {
            try (Sandbox sandbox = cloche.sandbox("base").memoryMib(192).start()) {
                handedOver = System.nanoTime();
                requireWarm(sandbox);
            }
        }

        @Test
        void given(@Sandboxed(image = "base", memoryMib = 192) Sandbox sandbox) {
            handedOver = System.nanoTime();
            requireWarm(sandbox);
        }

        private static void requireWarm(Sandbox sandbox) {
            String kind = sandbox.startTimings().orElseThrow().kind().name();
            if (!kind.equals("WARM")) {
                throw new IllegalStateException("the sandbox was " + kind);
            }
        }
    }

    static IntStream rounds() {
        return IntStream.range(-WARM_UP, rounds);
    }

    public static void main(String[] arguments) {
        rounds = Integer.parseInt(arguments[0]);
        Clock clock = new Clock();
        LauncherFactory.create()
                .execute(
                        LauncherDiscoveryRequestBuilder.request()
                                .selectors(selectClass(Tests.class))
                                .build(),
                        clock);
        clock.print();
    }

    private static final class Clock implements TestExecutionListener {
        private final Samples startedUntilSandbox = new Samples("`sandbox().start()`, until the test has it");
        private final Samples givenUntilSandbox = new Samples("`@Sandboxed`, until the test has it");
        private final Samples startedUntilEnd = new Samples("`sandbox().start()`, until the test has ended");
        private final Samples givenUntilEnd = new Samples("`@Sandboxed`, until the test has ended");
        private int started;
        private int given;

        @Override
        public void executionFinished(TestIdentifier test, TestExecutionResult result) {
            long end = System.nanoTime();
            result.getThrowable().ifPresent(failure -> {
                throw new IllegalStateException(failure);
            });
            if (!test.isTest()) {
                return;
            }
            boolean isGiven = test.getDisplayName().startsWith("given");
            if ((isGiven ? given++ : started++) >= WARM_UP) {
                (isGiven ? givenUntilSandbox : startedUntilSandbox).add((handedOver - begin) / 1e6);
                (isGiven ? givenUntilEnd : startedUntilEnd).add((end - begin) / 1e6);
            }
        }

        void print() {
            if (given != rounds + WARM_UP || started != given) {
                throw new IllegalStateException("there were " + given + " and " + started + " tests");
            }
            Samples.print("ms", startedUntilSandbox, givenUntilSandbox);
            Samples.print("ms", startedUntilEnd, givenUntilEnd);
        }
    }
}
