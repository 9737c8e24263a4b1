package dev.cloche.micrometer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cloche.Cloche;
import dev.cloche.ClocheOptions;
import dev.cloche.Sandbox;
import dev.cloche.base.InstalledShare;
import dev.cloche.sandbox.TemplateMaking;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationHandler;
import io.micrometer.observation.tck.TestObservationRegistry;
import io.micrometer.observation.tck.TestObservationRegistryAssert;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The spans of a request that starts a sandbox of a new image, and of one that finds a template. Draws them below {@code target}. */
class StartTraceIT {
    @TempDir
    Path home;

    private final List<TraceDrawing.Span> spans = new CopyOnWriteArrayList<>();
    private final Set<String> parents = ConcurrentHashMap.newKeySet();

    @Test
    void aRequestHasTheSpansOfItsStartAndCommands() throws IOException {
        Path share = InstalledShare.require();
        TestObservationRegistry observations = TestObservationRegistry.create();
        observations.observationConfig().observationHandler(new Clocked());
        ClocheMeters meters = new ClocheMeters(new SimpleMeterRegistry(), observations);
        ClocheOptions options = meters.listening(ClocheOptions.ofEnvironment()
                .withHome(home.resolve("state"))
                .withShare(share)
                .withTemplateMaking(new TemplateMaking.Never()));
        try (meters;
                Cloche cloche = Cloche.open(options)) {
            request(observations, cloche, "first request: an image that is not here");
            cloche.templates().make(cloche.sandbox("base").memoryMib(256));
            request(observations, cloche, "second request: a template that is");
        }

        TestObservationRegistryAssert.assertThat(observations)
                .hasNumberOfObservationsWithNameEqualTo("http.server.requests", 2)
                .hasNumberOfObservationsWithNameEqualTo("cloche.start", 2)
                .hasNumberOfObservationsWithNameEqualTo("cloche.command", 4)
                .doesNotHaveAnyRemainingCurrentObservation();
        assertThat(parents)
                .contains("cloche.pull in cloche.start", "cloche.start in http.server.requests")
                .contains("cloche.command in http.server.requests");
        assertThat(spans).extracting(TraceDrawing.Span::name).contains("start of a sandbox: cold");
        assertThat(spans).extracting(TraceDrawing.Span::name).contains("start of a sandbox: restored");
        Files.writeString(Path.of("target", "start-trace.svg"), TraceDrawing.svg(spans));
    }

    private static void request(TestObservationRegistry observations, Cloche cloche, String name) {
        Observation request = Observation.createNotStarted("http.server.requests", observations)
                .contextualName(name)
                .start();
        try (Observation.Scope _ = request.openScope();
                Sandbox sandbox = cloche.sandbox("base").memoryMib(256).start()) {
            sandbox.exec("sh", "-c", "echo 'echo hello' > /tmp/task.sh");
            assertThat(sandbox.exec("sh", "/tmp/task.sh").stdoutText()).isEqualTo("hello\n");
        } finally {
            request.stop();
        }
    }

    /** Notes when each observation begins and ends. */
    private final class Clocked implements ObservationHandler<Observation.Context> {
        private final long zero = System.nanoTime();

        @Override
        public void onStart(Observation.Context context) {
            context.put(Clocked.class, System.nanoTime() - zero);
        }

        @Override
        public void onStop(Observation.Context context) {
            int depth = 0;
            var parent = context.getParentObservation();
            if (parent != null) {
                parents.add(context.getName() + " in " + parent.getContextView().getName());
            }
            while (parent != null) {
                depth++;
                parent = parent.getContextView().getParentObservation();
            }
            var kind = context.getLowCardinalityKeyValue("kind");
            spans.add(new TraceDrawing.Span(
                    context.getContextualName() + (kind == null ? "" : ": " + kind.getValue()),
                    depth,
                    Objects.requireNonNull(context.<Long>get(Clocked.class)),
                    System.nanoTime() - zero));
        }

        @Override
        public boolean supportsContext(Observation.Context context) {
            return true;
        }
    }
}
