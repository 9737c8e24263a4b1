package outside;

import dev.cloche.Cloche;
import dev.cloche.ClocheOptions;
import dev.cloche.Sandbox;
import dev.cloche.base.Operation;
import dev.cloche.base.OperationListener;
import dev.cloche.base.OperationRecorder;
import dev.cloche.micrometer.ClocheMeters;
import dev.cloche.pool.PoolEvent;
import dev.cloche.pool.PoolListener;
import dev.cloche.sandbox.SandboxOperation;
import dev.cloche.sandbox.StartKind;
import dev.cloche.sandbox.StartTimings;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import jdk.jfr.Recording;

/**
 * What meters and Flight Recorder add to a warm start with a command. First such starts with them and without, in turn; then, since
 * what they add is far less than what starts differ by, all that one of these starts has told, told again in a loop. Arguments:
 * rounds, a directory for state roots.
 */
public final class ListenerCost {
    private static final int WARM_UP = 30;
    private static final int BLOCK = 10;
    private static final int TIMES = 200_000;
    private static final int LOOPS = 9;
    /** Where an entry is gone between the look and the start, as on a busy host. */
    private static final int MOST_NOT_WARM = 5;

    private static final List<String> notWarm = new ArrayList<>();

    private ListenerCost() {}

    public static void main(String[] arguments) throws Throwable {
        int rounds = Integer.parseInt(arguments[0]);
        Path roots = Path.of(arguments[1]);
        Told told = new Told();
        double start;
        try (ClocheMeters meters = new ClocheMeters(new SimpleMeterRegistry());
                Cloche plain = open(ClocheOptions.ofEnvironment().withHome(roots.resolve("plain")));
                Cloche metered =
                        open(meters.listening(ClocheOptions.ofEnvironment().withHome(roots.resolve("metered"))));
                Cloche recorded = open(ClocheOptions.ofEnvironment().withHome(roots.resolve("recorded")));
                Cloche listening = open(ClocheOptions.ofEnvironment()
                        .withHome(roots.resolve("told"))
                        .withListener(told)
                        .withPoolListener(told))) {
            start(listening);
            int done;
            do {
                told.clear();
                done = notWarm.size();
                start(listening);
            } while (notWarm.size() > done);
            meters.bindTo(metered);
            Samples off = new Samples("neither");
            Samples withMeters = new Samples("meters");
            Samples withRecorder = new Samples("Flight Recorder with its default settings, without our events");
            Samples withEvents = new Samples("Flight Recorder with its default settings");
            // In blocks, because the JVM compiles what it measures anew when a recording begins or ends.
            for (int round = -WARM_UP; round < rounds; round += BLOCK) {
                start(plain);
                for (int i = 0; i < BLOCK; i++) {
                    add(off, start(plain), round);
                    add(withMeters, start(metered), round);
                }
                inRecording(false, recorded, withRecorder, round);
                inRecording(true, recorded, withEvents, round);
            }
            Samples.print("ms", off, withMeters);
            Samples.print("ms", withRecorder, withEvents);
            System.out.printf("Done again, because they were not warm: %s%n%n", notWarm);
            start = off.percentile(50);
            told.operations.removeIf(operation -> !(operation instanceof SandboxOperation));
        }
        loops(told, start);
    }

    private static Cloche open(ClocheOptions options) {
        Cloche cloche = Cloche.open(options);
        cloche.pools().pool("base").memoryMib(192).depth(1).set();
        return cloche;
    }

    private static void add(Samples samples, double milliseconds, int round) {
        if (round >= 0) {
            samples.add(milliseconds);
        }
    }

    private static void inRecording(boolean ours, Cloche cloche, Samples samples, int round) throws Exception {
        try (Recording recording = recording(ours)) {
            start(cloche);
            for (int i = 0; i < BLOCK; i++) {
                add(samples, start(cloche), round);
            }
        }
    }

    /** With the events of the JDK, as an application has it that does not know of ours, or with both. */
    private static Recording recording(boolean ours) throws Exception {
        Recording recording = new Recording(jdk.jfr.Configuration.getConfiguration("default"));
        if (!ours) {
            for (String event : List.of("Start", "Exec", "Pull", "Restore", "Snapshot", "Lease")) {
                recording.disable("dev.cloche." + event);
            }
        }
        recording.start();
        return recording;
    }

    /** Returns how many milliseconds a warm start took to the end of a first command. One that was not warm is done again. */
    private static double start(Cloche cloche) throws InterruptedException {
        while (true) {
            while (cloche.pools().list().getFirst().ready() == 0) {
                Thread.sleep(5);
            }
            long begin = System.nanoTime();
            try (Sandbox sandbox = cloche.sandbox("base").memoryMib(192).start()) {
                sandbox.exec("true");
                long took = System.nanoTime() - begin;
                StartTimings start = sandbox.startTimings().orElseThrow();
                if (start.kind() == StartKind.WARM) {
                    return took / 1e6;
                }
                notWarm.add(start.kind() + ": " + start.notWarm().orElse(""));
                if (notWarm.size() > MOST_NOT_WARM) {
                    throw new IllegalStateException("these starts were not warm: " + notWarm);
                }
            }
        }
    }

    /** Keeps what is told between two points of time. */
    private static final class Told implements OperationListener, PoolListener {
        private final List<Operation> operations = new CopyOnWriteArrayList<>();
        private final List<PoolEvent> events = new CopyOnWriteArrayList<>();

        @Override
        public void ended(Operation operation) {
            operations.add(operation);
        }

        @Override
        public void happened(PoolEvent event) {
            events.add(event);
        }

        void clear() {
            operations.clear();
            events.clear();
        }
    }

    private interface Loop {
        void once() throws Throwable;
    }

    private static void loops(Told told, double start) throws Throwable {
        List<Operation> operations = told.operations;
        if (operations.size() != 2 || told.events.isEmpty()) {
            throw new IllegalStateException("it told " + operations + " and " + told.events);
        }
        MethodHandle startEvent = recorder("dev.cloche.sandbox.lifecycle.JfrStart");
        MethodHandle commandEvent = recorder("dev.cloche.sandbox.directory.JfrExec");
        Loop recorders = () -> {
            record((OperationRecorder<?>) startEvent.invokeExact(), operation(operations, SandboxOperation.Start.class));
            record((OperationRecorder<?>) commandEvent.invokeExact(), operation(operations, SandboxOperation.Exec.class));
        };
        System.out.printf(
                "Told by one of these starts: %d operations, %d events of its pool.%n%n", operations.size(), told.events.size());
        System.out.printf("| once told | n | ns | of a warm start |%n|---|---|---|---|%n");
        row("Flight Recorder, off", recorders, start);
        try (Recording recording = recording(true)) {
            row("Flight Recorder, on", recorders, start);
        }
        try (ClocheMeters meters = new ClocheMeters(new SimpleMeterRegistry())) {
            row(
                    "meters",
                    () -> {
                        for (Operation operation : operations) {
                            Consumer<Operation> end = meters.begins(operation.getClass(), "sandbox");
                            end.accept(operation);
                        }
                        told.events.forEach(meters::happened);
                    },
                    start);
        }
    }

    private static Operation operation(List<Operation> operations, Class<? extends Operation> kind) {
        return operations.get(0).getClass() == kind ? operations.get(0) : operations.get(1);
    }

    /** Does what a watch of an operation does. */
    @SuppressWarnings("unchecked")
    private static void record(OperationRecorder<?> recorder, Operation operation) {
        if (recorder.isEnabled()) {
            ((OperationRecorder<Operation>) recorder).ended(operation);
        }
    }

    /** The events are in packages that are not exported, which the class path does not hide. */
    private static MethodHandle recorder(String event) throws ReflectiveOperationException {
        Class<?> type = Class.forName(event);
        var constructor = type.getDeclaredConstructor();
        constructor.setAccessible(true);
        return MethodHandles.lookup()
                .unreflectConstructor(constructor)
                .asType(MethodType.methodType(OperationRecorder.class));
    }

    private static void row(String name, Loop loop, double start) throws Throwable {
        List<Double> each = new ArrayList<>();
        for (int i = 0; i < LOOPS; i++) {
            long begin = System.nanoTime();
            for (int j = 0; j < TIMES; j++) {
                loop.once();
            }
            each.add((System.nanoTime() - begin) / (double) TIMES);
        }
        each.sort(null);
        double median = each.get(LOOPS / 2);
        System.out.printf(
                Locale.ROOT, "| %s | %d × %d | %.0f | %.4f %% |%n", name, LOOPS, TIMES, median, median / 1e4 / start);
    }
}
