package dev.cloche.base;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a listener and Flight Recorder are told of operations. */
class OperationsTest {
    @TempDir
    Path directory;

    record Baking(String cake, Duration took, Optional<String> failure) implements Operation {}

    private static final class ColdOven extends ClocheException {
        ColdOven() {
            super("oven.cold", "The oven is cold.", "Heat it.", null);
        }
    }

    @Name("dev.cloche.Baking")
    static final class JfrBaking extends OperationEvent<Baking> {
        @Label("Cake")
        @Nullable
        String cake;

        @Override
        protected void describe(Baking baking) {
            cake = baking.cake();
        }
    }

    private static OperationWatch<Baking> begin(OperationListener listener) {
        return Operations.heardBy(listener).begin(Baking.class, "plum", new JfrBaking());
    }

    private static void succeed(OperationWatch<Baking> watch) {
        watch.succeeded((took, failure) -> new Baking("plum", took, failure));
    }

    private static void fail(OperationWatch<Baking> watch, Throwable why) {
        watch.failed(why, (took, failure) -> new Baking("plum", took, failure));
    }

    @Test
    void nothingIsDescribedWithoutAListenerOrARecording() {
        OperationWatch<Baking> watch = begin(OperationListener.none());
        assertThat(watch.isHeard()).isFalse();
        assertThat(watch.elapsed()).isZero();
        watch.succeeded((took, failure) -> {
            throw new AssertionError("described");
        });
        watch.failed(new IllegalStateException(), (took, failure) -> {
            throw new AssertionError("described");
        });
    }

    @Test
    void aListenerHearsHowLongItTookAndWhyItFailed() {
        List<Operation> heard = new ArrayList<>();
        OperationWatch<Baking> first = begin(heard::add);
        Duration before = first.elapsed();
        succeed(first);
        fail(begin(heard::add), new ColdOven());
        fail(begin(heard::add), new IllegalStateException("burnt"));

        assertThat(heard.getFirst().took()).isGreaterThanOrEqualTo(before);
        assertThat(heard)
                .extracting(Operation::failure)
                .containsExactly(
                        Optional.empty(), Optional.of("oven.cold"), Optional.of(IllegalStateException.class.getName()));
    }

    @Test
    void aListenerOfTheBeginningIsToldOfItsEnd() {
        List<String> heard = new ArrayList<>();
        OperationWatch<Baking> watch = begin(new OperationListener() {
            @Override
            public void ended(Operation operation) {
                heard.add("ended");
            }

            @Override
            public Consumer<Operation> begins(Class<? extends Operation> kind, String subject) {
                heard.add(kind.getSimpleName() + " " + subject);
                return operation -> heard.add("its end");
            }
        });
        assertThat(heard).containsExactly("Baking plum");
        succeed(watch);
        assertThat(heard).containsExactly("Baking plum", "its end");
    }

    @Test
    void aListenerThatThrowsChangesNothing() {
        succeed(begin(operation -> {
            throw new AssertionError("a test's listener");
        }));
        succeed(begin(new OperationListener() {
            @Override
            public void ended(Operation operation) {}

            @Override
            public Consumer<Operation> begins(Class<? extends Operation> kind, String subject) {
                throw new IllegalStateException("a test's listener");
            }
        }));
    }

    @Test
    void aRecordingHasOperationsThatReachItsThreshold() throws IOException {
        Path file = directory.resolve("operations.jfr");
        try (Recording recording = new Recording()) {
            recording.start();
            OperationWatch<Baking> watch = begin(OperationListener.none());
            assertThat(watch.isHeard()).isTrue();
            fail(watch, new ColdOven());
            recording.enable(JfrBaking.class).withThreshold(Duration.ofDays(1));
            succeed(begin(OperationListener.none()));
            recording.stop();
            recording.dump(file);
        }

        List<RecordedEvent> events = RecordingFile.readAllEvents(file).stream()
                .filter(event -> event.getEventType().getName().equals("dev.cloche.Baking"))
                .toList();
        assertThat(events).hasSize(1);
        RecordedEvent event = events.getFirst();
        assertThat(event.getString("cake")).isEqualTo("plum");
        assertThat(event.getString("failure")).isEqualTo("oven.cold");
        assertThat(event.getDuration()).isPositive();
    }
}
