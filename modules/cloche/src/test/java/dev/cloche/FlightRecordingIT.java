package dev.cloche;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cloche.base.ClocheException;
import dev.cloche.base.InstalledShare;
import dev.cloche.base.Operation;
import dev.cloche.image.ImagePull;
import dev.cloche.image.PullPolicy;
import dev.cloche.sandbox.SandboxException;
import dev.cloche.sandbox.SandboxOperation;
import dev.cloche.sandbox.StartKind;
import dev.cloche.sandbox.StartTimings;
import dev.cloche.sandbox.TemplateMaking;
import dev.cloche.vm.VmId;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import jdk.jfr.Recording;
import jdk.jfr.ValueDescriptor;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What Flight Recorder has of operations on real VMs, and that a JVM without it does them. */
@Timeout(1200)
class FlightRecordingIT {
    @TempDir
    Path directory;

    private Path share;
    private Path state;
    private final List<Operation> heard = Collections.synchronizedList(new ArrayList<>());

    @BeforeEach
    void requireInstallation() {
        share = InstalledShare.require();
        state = directory.resolve("state");
    }

    private Cloche open() {
        return Cloche.open(ClocheOptions.ofEnvironment()
                .withHome(state)
                .withShare(share)
                .withTemplateMaking(new TemplateMaking.Never())
                .withListener(heard::add));
    }

    private <O extends Operation> List<O> heard(Class<O> kind) {
        return heard.stream().filter(kind::isInstance).map(kind::cast).toList();
    }

    /** Returns the events of ours that some work leaves, by the end of their names, each in the order of their beginnings. */
    private Map<String, List<RecordedEvent>> recorded(Runnable work) throws IOException {
        Path file = directory.resolve("operations.jfr");
        try (Recording recording = new Recording()) {
            recording.start();
            work.run();
            recording.stop();
            recording.dump(file);
        }
        return RecordingFile.readAllEvents(file).stream()
                .filter(event -> event.getEventType().getName().startsWith("dev.cloche."))
                .sorted(Comparator.comparing(RecordedEvent::getStartTime))
                .collect(Collectors.groupingBy(
                        event -> event.getEventType().getName().substring("dev.cloche.".length())));
    }

    @Test
    void aStartAndACommandTellWhereTheirTimeWent() throws IOException {
        List<StartTimings> told = new ArrayList<>();
        List<Long> ids = new ArrayList<>();
        Map<String, List<RecordedEvent>> events = recorded(() -> {
            try (Cloche cloche = open();
                    Sandbox sandbox = cloche.sandbox("base")
                            .name("recorded")
                            .memoryMib(256)
                            .secret("token", "hunter2")
                            .environment("COLOUR", "hunter2")
                            .start()) {
                ids.add(sandbox.id());
                told.add(sandbox.startTimings().orElseThrow());
                sandbox.command("sh", "-c", "exit 3 # hunter2").run();
                sandbox.command("sh", "-c", "kill -9 $$").run();
                sandbox.command("sleep", "600").start().close();
                assertThatThrownBy(() -> sandbox.exec("no-such-program")).isInstanceOf(ClocheException.class);
            }
        });

        RecordedEvent start = only(events, "Start");
        StartTimings timings = told.getFirst();
        assertThat(start.getEventType().getLabel()).isEqualTo("Sandbox Start");
        assertThat(start.getEventType().getCategoryNames()).containsExactly("Cloche");
        assertThat(start.getString("sandbox")).isEqualTo("recorded");
        assertThat(start.getLong("sandboxId")).isEqualTo(ids.getFirst());
        assertThat(start.getString("image")).contains("base");
        assertThat(start.getString("vm")).isNotEmpty();
        assertThat(start.getString("kind")).isEqualTo("COLD");
        assertThat(start.getString("notWarm")).isNull();
        assertThat(start.getString("failure")).isNull();
        assertThat(start.getDuration("imageTime")).isEqualTo(timings.image());
        assertThat(start.getDuration("bootTime")).isEqualTo(timings.boot());
        assertThat(start.getDuration()).isGreaterThanOrEqualTo(timings.image().plus(timings.boot()));
        assertThat(start.getEndTime())
                .isBeforeOrEqualTo(commands(events).getFirst().getStartTime());

        RecordedEvent pull = only(events, "Pull");
        assertThat(pull.getString("image")).isEqualTo(start.getString("image"));
        assertThat(pull.getString("manifest")).startsWith("sha256:");
        assertThat(pull.getInt("layers")).isPositive().isEqualTo(pull.getInt("newLayers"));
        assertThat(pull.getLong("bytes")).isPositive();
        assertThat(pull.getDuration()).isPositive().isLessThanOrEqualTo(timings.image());
        assertThat(pull.getStartTime()).isAfterOrEqualTo(start.getStartTime());

        List<RecordedEvent> commands = commands(events);
        assertThat(commands).allSatisfy(command -> {
            assertThat(command.getString("sandbox")).isEqualTo("recorded");
            assertThat(command.getLong("sandboxId")).isEqualTo(ids.getFirst());
        });
        assertThat(commands.stream().map(command -> command.getInt("exitCode")))
                .satisfiesExactly(
                        code -> assertThat(code).isEqualTo(3),
                        code -> assertThat(code).isEqualTo(137),
                        // SIGTERM, or SIGKILL in a guest that is too slow for it.
                        code -> assertThat(code).isIn(143, 137),
                        code -> assertThat(code).isEqualTo(-1));
        assertThat(commands.get(0).getDuration("beginTime"))
                .isPositive()
                .isLessThanOrEqualTo(commands.get(0).getDuration());
        assertThat(commands.get(2).getString("failure")).isNull();
        assertThat(commands.get(3).getString("failure")).isEqualTo("vm.spawn.command-not-found");

        SandboxOperation.Start heardStart = heard(SandboxOperation.Start.class).getFirst();
        assertThat(heardStart.timings()).contains(timings);
        assertThat(heardStart.vm().map(VmId::toString)).contains(start.getString("vm"));
        assertThat(heardStart.failure()).isEmpty();
        assertThat(heardStart.took()).isGreaterThanOrEqualTo(timings.image().plus(timings.boot()));
        ImagePull heardPull = heard(ImagePull.class).getFirst();
        assertThat(heardPull.image()).hasToString(pull.getString("image"));
        assertThat(heardPull.bytes()).isEqualTo(pull.getLong("bytes"));
        assertThat(heardPull.newLayers()).isEqualTo(pull.getInt("newLayers"));
        assertThat(heard(SandboxOperation.Exec.class))
                .extracting(exec -> exec.exitCode().orElse(-1))
                .containsExactlyElementsOf(commands.stream()
                        .map(command -> command.getInt("exitCode"))
                        .toList());
        assertThat(heard).last().extracting(Operation::failure).isEqualTo(Optional.of("vm.spawn.command-not-found"));

        // Neither words, nor environment, nor secrets.
        assertThat(Stream.concat(events.values().stream().flatMap(List::stream), heard.stream())
                        .map(Object::toString))
                .isNotEmpty()
                .noneMatch(text -> text.contains("hunter2"));
    }

    @Test
    void snapshotsRestoresAndLeasesAreEvents() throws IOException {
        List<StartTimings> told = new ArrayList<>();
        Map<String, List<RecordedEvent>> events = recorded(() -> {
            try (Cloche cloche = open();
                    Sandbox parent =
                            cloche.sandbox("base").name("parent").memoryMib(256).start()) {
                parent.snapshot("kept");
                assertThatThrownBy(() -> cloche.sandbox("no/such:image")
                                .pull(PullPolicy.NEVER)
                                .start())
                        .isInstanceOf(ClocheException.class);
                assertThatThrownBy(() -> cloche.sandbox("base").name("parent").start())
                        .isInstanceOf(SandboxException.NameInUse.class);
                try (Fork fork = parent.fork(1)) {
                    told.add(fork.children().getFirst().startTimings().orElseThrow());
                }
                cloche.maintain();
            }
        });

        assertThat(told.getFirst().kind()).isEqualTo(StartKind.RESTORED);
        List<RecordedEvent> snapshots = all(events, "Snapshot");
        assertThat(snapshots.stream().map(snapshot -> snapshot.getString("snapshot")))
                .containsExactly("kept", null);
        assertThat(snapshots).allSatisfy(snapshot -> {
            assertThat(snapshot.getString("sandbox")).isEqualTo("parent");
            assertThat(snapshot.getString("contents")).isEqualTo("MEMORY");
            assertThat(snapshot.getDuration("pauseTime")).isPositive().isLessThanOrEqualTo(snapshot.getDuration());
        });

        List<RecordedEvent> starts = all(events, "Start");
        assertThat(starts.stream().map(start -> start.getString("kind")))
                .containsExactly("COLD", null, null, "RESTORED");
        assertThat(starts.get(1).getString("failure")).isEqualTo("image.not-found");
        assertThat(starts.get(1).getLong("sandboxId")).isPositive();
        assertThat(starts.get(2).getString("failure")).isEqualTo("sandbox.name-in-use");
        assertThat(starts.get(2).getLong("sandboxId")).isZero();
        assertThat(heard(SandboxOperation.Start.class))
                .extracting(start -> start.failure().orElse(null))
                .containsExactly(null, "image.not-found", "sandbox.name-in-use", null);
        assertThat(heard(SandboxOperation.Snapshot.class))
                .extracting(snapshot -> snapshot.snapshot().orElse(null))
                .containsExactly("kept", null);
        RecordedEvent restore = only(events, "Restore");
        assertThat(restore.getString("vm")).isEqualTo(starts.get(3).getString("vm"));
        assertThat(restore.getString("snapshot")).isNotEmpty();
        assertThat(restore.getString("kind")).isEqualTo("STREAMED");
        assertThat(restore.getLong("memory")).isEqualTo(256 << 20);
        assertThat(restore.getDuration())
                .isPositive()
                .isLessThanOrEqualTo(starts.get(3).getDuration());

        assertThat(all(events, "Lease")).anySatisfy(lease -> {
            assertThat(lease.getString("lease")).isEqualTo("sandbox_lifecycle_maintenance");
            assertThat(lease.getString("holder")).isNotEmpty();
            assertThat(lease.getBoolean("kept")).isTrue();
        });
        assertThat(events.values().stream().flatMap(List::stream)).allSatisfy(event -> {
            assertThat(event.getEventType().getCategoryNames()).containsExactly("Cloche");
            assertThat(event.getFields().stream().map(ValueDescriptor::getLabel))
                    .doesNotContainNull();
            assertThat(event.getStackTrace()).isNull();
        });
    }

    @Test
    void aJvmWithoutFlightRecorderDoesTheSame() throws Exception {
        Path output = directory.resolve("output");
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "--limit-modules=java.net.http,java.sql,jdk.unsupported",
                        "--enable-native-access=ALL-UNNAMED",
                        "-cp",
                        System.getProperty("java.class.path"),
                        UnrecordedProgram.class.getName(),
                        state.toString(),
                        share.toString())
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
        process.outputWriter().close();
        assertThat(process.waitFor()).as(Files.readString(output)).isZero();
        assertThat(output).content().isEqualTo("false\nheard a start\nCOLD hello\nheard a start\nRESTORED hello\n");
    }

    private static List<RecordedEvent> commands(Map<String, List<RecordedEvent>> events) {
        return all(events, "Exec");
    }

    private static RecordedEvent only(Map<String, List<RecordedEvent>> events, String name) {
        assertThat(all(events, name)).as(name).hasSize(1);
        return all(events, name).getFirst();
    }

    private static List<RecordedEvent> all(Map<String, List<RecordedEvent>> events, String name) {
        return events.getOrDefault(name, List.of());
    }
}
