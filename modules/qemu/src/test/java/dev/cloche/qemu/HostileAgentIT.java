package dev.cloche.qemu;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cloche.base.ChildJvm;
import dev.cloche.base.Deadline;
import dev.cloche.vm.ExecRequest;
import dev.cloche.vm.GuestException;
import dev.cloche.vm.GuestExecution;
import dev.cloche.vm.RootDisk;
import dev.cloche.vm.Vm;
import dev.cloche.vm.VmException;
import dev.cloche.vm.VmExit;
import dev.cloche.vm.VmId;
import dev.cloche.vm.VmSpec;
import dev.cloche.vm.VmState;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Real VMs whose agent lies ({@code guest/test/hostile}): what root in a guest can do to its host. */
class HostileAgentIT {
    private static final String PROTOCOL = GuestException.ProtocolBroken.class.getSimpleName();
    private static final String LIMIT = GuestException.CopyLimit.class.getSimpleName();
    private static final String LATE = VmException.Deadline.class.getSimpleName();

    /** What becomes of each lie. A call that is only kept waiting survives, or gives up when its deadline passes. */
    private static final Map<String, String> OUTCOMES = outcomes();

    private static Map<String, String> outcomes() {
        Map<String, String> outcomes = new LinkedHashMap<>();
        outcomes.put("hello", "survived Exited[code=0]");
        for (String lie : List.of(
                "too-long",
                "gigabytes-long",
                "wrong-crc",
                "unknown-flag",
                "wrong-seal",
                "no-seal",
                "garbage",
                "continued",
                "unknown-type",
                "a-hosts-type",
                "unasked",
                "wrong-answer",
                "answered-twice",
                "unknown-stream",
                "pong-flood",
                "beyond-credit",
                "output-again",
                "offset-wraps",
                "exited-twice",
                "output-after-its-end",
                "impossible-status",
                "stdin-credit-too-large",
                "unknown-failure",
                "lying-text",
                "acknowledged-again",
                "hello-again",
                "attached-unasked",
                "listing-of-billions",
                "measured-unasked",
                "log-on-the-wrong-port")) {
            outcomes.put(lie, PROTOCOL);
        }
        outcomes.put("gap", PROTOCOL);
        // May cross the end of an execution, so it is passed over; the answer never comes.
        outcomes.put("detached-unasked", LATE);
        outcomes.put("silence", LATE);
        outcomes.put("half-a-frame", LATE);
        outcomes.put("endless-output", "survived endless output");
        outcomes.put("stdin-credit-overflow", "survived silence");
        outcomes.put("forged-goodbye", "survived Exited[code=0]");
        for (String lie : List.of(
                "dots",
                "dots-inside",
                "absolute",
                "nul",
                "second-root",
                "orphan",
                "below-a-link",
                "below-a-file",
                "same-name-twice",
                "huge-size",
                "beyond-its-size",
                "going-back",
                "record-too-long",
                "no-first-entry")) {
            outcomes.put(HostileAgentClient.COPY + lie, PROTOCOL);
        }
        outcomes.put(HostileAgentClient.COPY + "deeper", LIMIT);
        outcomes.put(HostileAgentClient.COPY + "endless-entries", LIMIT);
        outcomes.put(HostileAgentClient.COPY + "failed-for-no-reason", PROTOCOL);
        // A file of 2^63 - 1 bytes is more than a copy may have, before any offset in it counts.
        outcomes.put(HostileAgentClient.COPY + "offset-beyond-all", LIMIT);
        outcomes.put(HostileAgentClient.COPY + "no-end", "Other");
        // The copy is whole with DONE; the host reads no further.
        outcomes.put(HostileAgentClient.COPY + "after-the-end", "survived");
        return outcomes;
    }

    @TempDir
    static Path shared;

    private static Path share;
    private static VmResources honest;
    private static VmResources hostile;
    private static Path disk;

    @TempDir
    Path directory;

    private QemuProvider provider;
    private Vm vm;

    @BeforeAll
    static void makeHostileInitramfs() throws Exception {
        share = Path.of(System.getProperty("cloche.share", "dist/share"))
                .toAbsolutePath()
                .normalize();
        try {
            honest = VmResources.find(List.of(share));
        } catch (VmException.MissingResource missing) {
            Assumptions.abort(missing.getMessage());
        }
        for (String tool : List.of("make", "gcc")) {
            Assumptions.assumeTrue(onPath(tool), tool + " is missing: run ./setup");
        }
        KernelImage kernel = honest.kernel();
        Path log = shared.resolve("make.log");
        Process make = new ProcessBuilder(
                        "make",
                        "-s",
                        "-C",
                        "../../guest",
                        "hostile",
                        "OUT=" + shared,
                        "KERNEL=" + kernel.kernel().resolveSibling(""))
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .redirectInput(Path.of("/dev/null").toFile())
                .start();
        assertThat(make.waitFor()).as(Files.readString(log)).isZero();
        hostile = new VmResources(
                honest.qemu(),
                honest.guard(),
                honest.clockMeter(),
                new KernelImage(kernel.kernel(), shared.resolve("hostile/initramfs"), kernel.properties()));
        disk = shared.resolve("disk");
        Files.write(disk, new byte[4096]);
    }

    private static boolean onPath(String tool) {
        return Stream.of(System.getenv("PATH").split(":", -1)).anyMatch(dir -> Files.isExecutable(Path.of(dir, tool)));
    }

    @BeforeEach
    void boot() {
        provider = new QemuProvider(VmLayout.of(directory.resolve("state")), hostile);
        vm = provider.create(VmSpec.of(VmId.random(), RootDisk.raw(disk)));
        vm.start(soon());
    }

    @AfterEach
    void end() throws IOException {
        vm.close();
        vm.destroy();
        assertThat(provider.list()).isEmpty();
        provider.close();
        Files.delete(VmLayout.of(directory.resolve("state")).runtimeDirectory());
    }

    private static Deadline soon() {
        return Deadline.after(Duration.ofMinutes(5));
    }

    @Test
    void everyLieIsATypedErrorInTimeWithLittleMemoryAndOtherVmsGoOn() throws Exception {
        AtomicBoolean over = new AtomicBoolean();
        Path other = directory.resolve("other");
        try (QemuProvider neighbours = new QemuProvider(VmLayout.of(other), hostile);
                Vm neighbour = neighbours.create(VmSpec.of(VmId.random(), RootDisk.raw(disk)));
                ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            neighbour.start(soon());
            Future<Integer> pings = threads.submit(() -> {
                int answered = 0;
                while (!over.get()) {
                    neighbour.guest().ping(soon());
                    answered++;
                }
                return answered;
            });
            Map<String, String> found;
            try {
                found = lieToAnotherJvm(List.copyOf(OUTCOMES.keySet()));
            } finally {
                over.set(true);
            }
            assertThat(found).isEqualTo(OUTCOMES);
            assertThat(directory.resolve("copies/escaped")).doesNotExist();
            assertThat(directory.resolve("escaped")).doesNotExist();
            assertThat(Path.of("/tmp/escaped")).doesNotExist();
            assertThat(pings.get(5, TimeUnit.MINUTES)).isGreaterThan(OUTCOMES.size());
            neighbour.kill(soon());
            neighbour.destroy();
        }
        Files.delete(VmLayout.of(other).runtimeDirectory());
        vm.guest().ping(soon());
    }

    /** One JVM for all, with a heap that is smaller than what any flood sends in a second or two. */
    private Map<String, String> lieToAnotherJvm(List<String> lies) throws Exception {
        List<String> command = ChildJvm.command(
                List.of("-Xmx32m", "-XX:MaxDirectMemorySize=16m", "-XX:+ExitOnOutOfMemoryError"),
                HostileAgentClient.class,
                directory.resolve("state").toString(),
                share.toString(),
                vm.id().value(),
                Files.createDirectory(directory.resolve("copies")).toString());
        command.addAll(lies);
        Path output = directory.resolve("client.out");
        Path errors = directory.resolve("client.err");
        Process client = new ProcessBuilder(command)
                .redirectInput(Path.of("/dev/null").toFile())
                .redirectOutput(output.toFile())
                .redirectError(errors.toFile())
                .start();
        try {
            assertThat(client.waitFor(20, TimeUnit.MINUTES))
                    .as("it ends; so far: " + Files.readString(output))
                    .isTrue();
        } finally {
            client.destroyForcibly();
        }
        String said = Files.readString(output, StandardCharsets.UTF_8);
        assertThat(client.exitValue()).as(said + Files.readString(errors)).isZero();
        Map<String, String> found = new LinkedHashMap<>();
        said.lines().forEach(line -> {
            int space = line.indexOf(' ');
            found.put(line.substring(0, space), line.substring(space + 1));
        });
        return found;
    }

    @Test
    void anOwnerWhoseGuestLiesCanStillKillAndDestroyIt() {
        assertThatThrownBy(() -> vm.guest().exec(ExecRequest.of("unasked"), soon()))
                .isInstanceOf(GuestException.ProtocolBroken.class);
        assertThatThrownBy(() -> vm.guest().ping(soon())).isInstanceOf(GuestException.ProtocolBroken.class);
        assertThat(vm.kill(soon()).cause()).isEqualTo(VmExit.Cause.KILLED);
    }

    @Test
    void aForgedGoodbyeEndsNoVm() throws Exception {
        try (GuestExecution execution = vm.guest().exec(ExecRequest.of("forged-goodbye"), soon())) {
            assertThat(new String(execution.stdout().readAllBytes(), StandardCharsets.UTF_8))
                    .isEqualTo("still here\n");
        }
        vm.guest().ping(soon());
        assertThat(vm.state()).isEqualTo(VmState.RUNNING);
        assertThat(vm.kill(soon()).cause()).isEqualTo(VmExit.Cause.KILLED);
    }

    @Test
    void aGuestThatIgnoresItsShutdownIsKilled() {
        VmExit exit = vm.stop(Duration.ofMillis(100), soon());
        assertThat(exit.goodbye()).isEmpty();
        assertThat(vm.state().live()).isFalse();
    }
}
