package dev.cloche.micrometer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cloche.base.Operation;
import dev.cloche.image.ImagePull;
import dev.cloche.image.ImageReference;
import dev.cloche.pool.Eviction;
import dev.cloche.pool.PoolEvent;
import dev.cloche.pool.PoolMetrics;
import dev.cloche.pool.PoolStartKind;
import dev.cloche.pool.StackKey;
import dev.cloche.sandbox.SandboxOperation;
import dev.cloche.sandbox.SandboxSnapshot;
import dev.cloche.sandbox.StartKind;
import dev.cloche.sandbox.StartTimings;
import dev.cloche.vm.VmId;
import io.micrometer.common.KeyValue;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.observation.DefaultMeterObservationHandler;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationHandler;
import io.micrometer.observation.ObservationRegistry;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

class ClocheMetersTest {
    private static final String IMAGE = "docker.io/library/debian:latest";

    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();

    @Test
    void aStartHasItsKindWhyItIsNotWarmAndItsParts() {
        ClocheMeters meters = new ClocheMeters(registry);
        tell(meters, start(timings(StartKind.WARM, Optional.empty())));
        tell(meters, start(timings(StartKind.COLD, Optional.of("no VM of the pool was ready: sb-4711 is late."))));

        assertThat(registry.get("cloche.start")
                        .tags("image", IMAGE, "kind", "warm", "not.warm", "none", "code", "none", "error", "none")
                        .timer()
                        .count())
                .isEqualTo(1);
        assertThat(registry.get("cloche.start")
                        .tags("kind", "cold", "not.warm", "no VM of the pool was ready")
                        .timer()
                        .count())
                .isEqualTo(1);
        assertThat(registry.get("cloche.start.image")
                        .tag("kind", "cold")
                        .timer()
                        .totalTime(TimeUnit.MILLISECONDS))
                .isEqualTo(20);
        assertThat(registry.get("cloche.start.boot").tag("kind", "cold").timer().totalTime(TimeUnit.MILLISECONDS))
                .isEqualTo(300);
    }

    @Test
    void aFailureHasItsCodeAndTheSameTags() {
        ClocheMeters meters = new ClocheMeters(registry);
        tell(meters, start(timings(StartKind.RESTORED, Optional.empty())));
        tell(
                meters,
                new SandboxOperation.Start(
                        "web", 1, IMAGE, Optional.empty(), Optional.empty(), Duration.ZERO, Optional.of("a.code")));
        tell(meters, pull(Optional.empty()));
        tell(meters, pull(Optional.of("image.pull-failed")));
        tell(meters, command(OptionalInt.of(0), Optional.empty()));
        tell(meters, command(OptionalInt.of(3), Optional.empty()));
        tell(meters, command(OptionalInt.empty(), Optional.empty()));
        tell(meters, command(OptionalInt.empty(), Optional.of("vm.gone")));
        tell(
                meters,
                new SandboxOperation.Snapshot(
                        "web",
                        1,
                        Optional.of("s"),
                        SandboxSnapshot.Contents.DISK,
                        Optional.empty(),
                        Duration.ZERO,
                        Optional.empty()));

        assertThat(registry.get("cloche.start")
                        .tags("code", "a.code", "kind", "none")
                        .timer()
                        .count())
                .isEqualTo(1);
        assertThat(registry.get("cloche.pull")
                        .tag("code", "image.pull-failed")
                        .timer()
                        .count())
                .isEqualTo(1);
        assertThat(registry.get("cloche.snapshot")
                        .tag("contents", "disk")
                        .timer()
                        .count())
                .isEqualTo(1);
        for (String exit : List.of("success", "failure", "unknown")) {
            assertThat(registry.get("cloche.command")
                            .tags("exit", exit, "code", "none")
                            .timer()
                            .count())
                    .isEqualTo(1);
        }
        assertThat(registry.get("cloche.command")
                        .tags("exit", "unknown", "code", "vm.gone")
                        .timer()
                        .count())
                .isEqualTo(1);
        // Prometheus takes no meter whose tags are others than those of the first of its name.
        Map<String, Set<Set<String>>> keys = registry.getMeters().stream()
                .map(Meter::getId)
                .collect(Collectors.groupingBy(
                        Meter.Id::getName,
                        Collectors.mapping(
                                id -> id.getTags().stream().map(Tag::getKey).collect(Collectors.toSet()),
                                Collectors.toSet())));
        assertThat(keys)
                .containsKeys("cloche.start", "cloche.command", "cloche.pull")
                .allSatisfy((name, sets) -> assertThat(sets).as(name).hasSize(1));
    }

    @Test
    void aTraceHasThePullInTheStartAndTheCommandBesideIt() throws InterruptedException {
        Map<String, Observation.Context> stopped = new HashMap<>();
        ObservationRegistry observations = ObservationRegistry.create();
        observations
                .observationConfig()
                .observationHandler(new DefaultMeterObservationHandler(registry))
                .observationHandler(new ObservationHandler<Observation.Context>() {
                    @Override
                    public void onStop(Observation.Context context) {
                        stopped.put(context.getName(), context);
                    }

                    @Override
                    public boolean supportsContext(Observation.Context context) {
                        return true;
                    }
                });
        ClocheMeters meters = new ClocheMeters(registry, observations);
        Observation request = Observation.start("request", observations);
        try (Observation.Scope _ = request.openScope()) {
            Consumer<Operation> start = meters.begins(SandboxOperation.Start.class, "web");
            tell(meters, pull(Optional.of("image.pull-failed")));
            start.accept(start(timings(StartKind.COLD, Optional.empty())));
            assertThat(observations.getCurrentObservation()).isSameAs(request);
            // A command begins here and ends on the thread that awaits it.
            Consumer<Operation> command = meters.begins(SandboxOperation.Exec.class, "web");
            Thread other = Thread.ofVirtual().start(() -> command.accept(command(OptionalInt.of(0), Optional.empty())));
            other.join();
        }
        request.stop();

        assertThat(parent(stopped, "cloche.pull")).isEqualTo("cloche.start");
        assertThat(parent(stopped, "cloche.start")).isEqualTo("request");
        assertThat(parent(stopped, "cloche.command")).isEqualTo("request");
        assertThat(context(stopped, "cloche.start").getHighCardinalityKeyValue("sandbox"))
                .isEqualTo(KeyValue.of("sandbox", "web"));
        assertThat(context(stopped, "cloche.pull").getError()).hasMessage("image.pull-failed");
        assertThat(registry.get("cloche.start").timer().count()).isEqualTo(1);
    }

    private static void tell(ClocheMeters meters, Operation operation) {
        meters.begins(operation.getClass(), "web").accept(operation);
    }

    private static SandboxOperation.Start start(StartTimings timings) {
        return new SandboxOperation.Start(
                "web", 1, IMAGE, Optional.of(VmId.random()), Optional.of(timings), timings.total(), Optional.empty());
    }

    private static SandboxOperation.Exec command(OptionalInt exitCode, Optional<String> failure) {
        return new SandboxOperation.Exec(
                "web", 1, OptionalLong.of(1), exitCode, Optional.of(Duration.ZERO), Duration.ZERO, failure);
    }

    private static ImagePull pull(Optional<String> failure) {
        return new ImagePull(
                ImageReference.parse(IMAGE), Optional.empty(), "docker.io", 1, 1, 4096, Duration.ZERO, failure);
    }

    private static Observation.Context context(Map<String, Observation.Context> stopped, String name) {
        return Objects.requireNonNull(stopped.get(name), name);
    }

    private static String parent(Map<String, Observation.Context> stopped, String name) {
        return Objects.requireNonNull(context(stopped, name).getParentObservation())
                .getContextView()
                .getName();
    }

    @Test
    void gaugesOfAKeyThatIsGoneAreRemovedAndItsCountsStay() {
        StackKey old = new StackKey("debian", "1", 1, 256);
        StackKey now = new StackKey("debian", "2", 1, 256);
        Map<StackKey, PoolMetrics.Key> keys = new HashMap<>(Map.of(old, key(1)));
        ClocheMeters meters = new ClocheMeters(registry);
        meters.begins(() -> new PoolMetrics(0, 0, 0, 0, 0, 0, 0, Map.copyOf(keys)));
        meters.happened(new PoolEvent.Restored(old, VmId.random(), Duration.ofMillis(20), Duration.ofMillis(30)));
        meters.happened(new PoolEvent.Acquired(old, VmId.random(), PoolStartKind.WARM, Duration.ofMillis(2)));
        assertThat(depth("1")).isEqualTo(1);

        keys.clear();
        keys.put(now, key(2));
        meters.happened(new PoolEvent.Evicted(old, VmId.random(), Eviction.UNREGISTER));

        assertThat(registry.find("cloche.pool.depth").tag("version", "1").gauges())
                .isEmpty();
        assertThat(depth("2")).isEqualTo(2);
        assertThat(registry.get("cloche.pool.restore").timer().count()).isEqualTo(1);
        assertThat(registry.get("cloche.pool.acquire")
                        .tag("kind", "warm")
                        .timer()
                        .count())
                .isEqualTo(1);
        assertThat(registry.get("cloche.pool.evictions")
                        .tag("cause", "unregister")
                        .counter()
                        .count())
                .isEqualTo(1);
        assertThat(registry.get("cloche.pool.quarantined").gauge().value()).isZero();

        meters.close();
        assertThat(registry.getMeters()).noneMatch(meter -> meter.getId().getType() == Meter.Type.GAUGE);
    }

    private double depth(String version) {
        return registry.get("cloche.pool.depth").tag("version", version).gauge().value();
    }

    private static PoolMetrics.Key key(int depth) {
        return new PoolMetrics.Key(depth, depth, 0, 0, 0, 0, 0, 0, 0, 0, Map.of(), Map.of(), Optional.empty(), false);
    }

    private static StartTimings timings(StartKind kind, Optional<String> notWarm) {
        return new StartTimings(kind, Duration.ofMillis(400), Duration.ofMillis(20), Duration.ofMillis(300), notWarm);
    }
}
