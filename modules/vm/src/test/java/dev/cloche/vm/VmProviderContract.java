package dev.cloche.vm;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import dev.cloche.base.Deadline;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * What every provider of VMs promises. Its guests need the programs {@code true false echo cat sleep env pwd hostname yes}
 * and {@code sh}, in {@code /bin}.
 */
public abstract class VmProviderContract {
    @TempDir
    protected Path directory;

    private VmProvider provider;

    /** A provider whose state is below {@link #directory}. */
    protected abstract VmProvider provider();

    /** What its guests boot from. */
    protected abstract RootDisk rootDisk();

    @BeforeEach
    void open() {
        provider = provider();
    }

    @AfterEach
    void close() {
        provider.close();
    }

    protected static Deadline soon() {
        return Deadline.after(Duration.ofSeconds(60));
    }

    protected final VmSpec spec() {
        return VmSpec.of(VmId.random(), rootDisk());
    }

    protected final Vm running() {
        Vm vm = provider.create(spec());
        vm.start(soon());
        return vm;
    }

    protected static String read(InputStream stream) throws IOException {
        return new String(stream.readAllBytes(), UTF_8);
    }

    protected static String output(Vm vm, ExecRequest request) throws IOException {
        try (GuestExecution execution = vm.guest().exec(request, soon())) {
            String text = read(execution.stdout());
            assertThat(read(execution.stderr())).isEmpty();
            assertThat(execution.await(soon())).isEqualTo(new ExitStatus.Exited(0));
            return text;
        }
    }

    @Test
    void aVmIsCreatedStartedStoppedAndDestroyed() {
        VmSpec spec = spec();
        try (Vm vm = provider.create(spec)) {
            assertThat(vm.id()).isEqualTo(spec.id());
            assertThat(vm.state()).isEqualTo(VmState.CREATED);
            assertThat(provider.get(spec.id()).orElseThrow().state()).isEqualTo(VmState.CREATED);

            vm.start(soon());
            assertThat(vm.state()).isEqualTo(VmState.RUNNING);
            assertThat(provider.list())
                    .extracting(VmInfo::id, VmInfo::state)
                    .containsExactly(tuple(spec.id(), VmState.RUNNING));
            assertThat(provider.list().getFirst().guard()).isPresent();

            VmExit exit = vm.stop(Duration.ofSeconds(5), soon());
            assertThat(exit.goodbye()).contains(new Goodbye(Goodbye.Reason.SHUTDOWN_REQUESTED, Optional.empty()));
            assertThat(exit.cause()).isEqualTo(VmExit.Cause.EXITED);
            assertThat(exit.crashed()).isFalse();
            assertThat(exit.endedAt()).isAfter(exit.startedAt());
            assertThat(vm.state()).isEqualTo(VmState.STOPPED);
            assertThat(vm.awaitExit(soon())).isEqualTo(exit);
            assertThat(vm.kill(soon())).isEqualTo(exit);
            assertThat(provider.get(spec.id()).orElseThrow())
                    .isEqualTo(new VmInfo(spec.id(), VmState.STOPPED, Optional.empty(), Optional.of(exit)));

            vm.destroy();
            vm.destroy();
            assertThat(vm.state()).isEqualTo(VmState.DESTROYED);
            assertThat(provider.get(spec.id())).isEmpty();
        }
    }

    @Test
    void anIdIsTakenOnce() {
        VmSpec spec = spec();
        try (Vm vm = provider.create(spec)) {
            assertThatThrownBy(() -> provider.create(spec)).isInstanceOf(VmExistsException.class);
            vm.destroy();
            provider.create(spec).destroy();
        }
    }

    @Test
    void whatAStateDoesNotAllowIsATypedError() {
        try (Vm vm = provider.create(spec())) {
            assertThatThrownBy(vm::guest).isInstanceOf(VmStateException.class);
            assertThatThrownBy(() -> vm.pause(soon())).isInstanceOf(VmStateException.class);
            assertThatThrownBy(() -> vm.stop(Duration.ZERO, soon())).isInstanceOf(VmStateException.class);
            assertThatThrownBy(() -> vm.awaitExit(soon())).isInstanceOf(VmStateException.class);
            assertThatThrownBy(() -> provider.kill(vm.id(), soon())).isInstanceOf(VmStateException.class);
            assertThatThrownBy(() -> provider.connect(vm.id(), soon())).isInstanceOf(VmStateException.class);
            vm.start(soon());
            assertThatThrownBy(() -> vm.start(soon())).isInstanceOf(VmStateException.class);
            assertThatThrownBy(vm::destroy).isInstanceOf(VmStateException.class);
            assertThatThrownBy(() -> vm.resume(soon())).isInstanceOf(VmStateException.class);
            assertThatThrownBy(() -> provider.destroy(vm.id())).isInstanceOf(VmException.class);
        }
        VmId nobody = new VmId("nobody");
        assertThat(provider.get(nobody)).isEmpty();
        assertThatThrownBy(() -> provider.connect(nobody, soon())).isInstanceOf(VmNotFoundException.class);
        assertThatThrownBy(() -> provider.kill(nobody, soon())).isInstanceOf(VmNotFoundException.class);
        provider.destroy(nobody);
    }

    @Test
    void programsGetArgumentsEnvironmentAndDirectoryAndTheirEndIsExact() throws IOException {
        try (Vm vm = running()) {
            assertThat(output(vm, ExecRequest.of("echo", "a  b", "", "ü"))).isEqualTo("a  b  ü\n");
            assertThat(output(
                            vm,
                            ExecRequest.of("env")
                                    .withEnvironment(Map.of("PATH", ExecRequest.DEFAULT_PATH, "A", "b=c"))))
                    .contains("A=b=c\n");
            assertThat(output(vm, ExecRequest.of("pwd").withWorkingDirectory("/made/here", true)))
                    .isEqualTo("/made/here\n");
            try (GuestExecution execution = vm.guest().exec(ExecRequest.of("sh", "-c", "exit 42"), soon())) {
                assertThat(execution.await(soon())).isEqualTo(new ExitStatus.Exited(42));
            }
        }
    }

    @Test
    void whatCannotBeStartedIsATypedError() {
        try (Vm vm = running()) {
            Guest guest = vm.guest();
            assertThatThrownBy(() -> guest.exec(ExecRequest.of("no-such-program"), soon()))
                    .isInstanceOf(SpawnException.CommandNotFound.class);
            assertThatThrownBy(() -> guest.exec(ExecRequest.of("/tmp"), soon()))
                    .isInstanceOf(SpawnException.CommandNotExecutable.class);
            assertThatThrownBy(() -> guest.exec(ExecRequest.of("true").withWorkingDirectory("/none", false), soon()))
                    .isInstanceOf(SpawnException.BadWorkingDirectory.class);
            assertThatThrownBy(() -> guest.exec(ExecRequest.of("true").withUser("nobody-here"), soon()))
                    .isInstanceOf(SpawnException.UnknownUser.class);
            assertThatThrownBy(() -> guest.exec(ExecRequest.of("true").withUser("root:nobody-here"), soon()))
                    .isInstanceOf(SpawnException.UnknownGroup.class);
            guest.ping(soon());
        }
    }

    @Test
    void aStdinLargerThanEveryWindowComesBackWhole() throws Exception {
        byte[] bytes = new byte[3_000_000];
        new Random(7).nextBytes(bytes);
        try (Vm vm = running();
                GuestExecution cat = vm.guest().exec(ExecRequest.of("cat").withStdin(), soon())) {
            Thread writer = Thread.ofVirtual().start(() -> {
                try (OutputStream stdin = cat.stdin()) {
                    stdin.write(bytes);
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            });
            assertThat(cat.stdout().readAllBytes()).isEqualTo(bytes);
            assertThat(cat.await(soon()).success()).isTrue();
            writer.join();
        }
    }

    @Test
    void aReaderThatDoesNotReadDelaysNobodyElse() throws IOException {
        try (Vm vm = running();
                GuestExecution endless = vm.guest().exec(ExecRequest.of("yes"), soon())) {
            assertThat(endless.stdout().readNBytes(4)).isEqualTo("y\ny\n".getBytes(UTF_8));
            for (int i = 0; i < 3; i++) {
                assertThat(output(vm, ExecRequest.of("echo", "other"))).isEqualTo("other\n");
            }
            vm.guest().ping(soon());
            endless.signal(9, soon());
            assertThat(endless.stdout().transferTo(OutputStream.nullOutputStream()))
                    .isPositive();
            assertThat(endless.await(soon())).isEqualTo(new ExitStatus.Signalled(9));
            assertThatThrownBy(() -> endless.signal(9, soon()))
                    .isInstanceOfSatisfying(
                            GuestRefusedException.class,
                            e -> assertThat(e.failure()).isEqualTo(GuestFailure.NO_SUCH_EXECUTION));
        }
    }

    @Test
    void aProgramThatDoesNotReadItsStdinBlocksOnlyItsWriter() throws Exception {
        try (Vm vm = running();
                GuestExecution sleep =
                        vm.guest().exec(ExecRequest.of("sleep", "1000").withStdin(), soon())) {
            List<IOException> failures = new ArrayList<>();
            Thread writer = Thread.ofVirtual().start(() -> {
                try {
                    while (true) {
                        sleep.stdin().write(new byte[100_000]);
                    }
                } catch (IOException e) {
                    failures.add(e);
                }
            });
            assertThat(output(vm, ExecRequest.of("echo", "other"))).isEqualTo("other\n");
            sleep.signal(15, soon());
            assertThat(sleep.await(soon())).isEqualTo(new ExitStatus.Signalled(15));
            writer.join();
            assertThat(failures)
                    .singleElement()
                    .extracting(Throwable::getMessage)
                    .isEqualTo("the program has ended");
        }
    }

    @Test
    void anExecutionThatIsLetGoRunsToItsEnd() {
        try (Vm vm = running()) {
            GuestExecution endless = vm.guest().exec(ExecRequest.of("yes"), soon());
            endless.close();
            assertThatThrownBy(() -> endless.stdout().read()).isInstanceOf(IOException.class);
            endless.signal(15, soon());
            assertThat(endless.await(soon())).isEqualTo(new ExitStatus.Signalled(15));
        }
    }

    @Test
    void aGuestTakesANewIdentity() throws IOException {
        try (Vm vm = running()) {
            vm.guest().configure(GuestIdentity.fresh("glass-bell", Clock.systemUTC()), soon());
            assertThat(output(vm, ExecRequest.of("hostname"))).isEqualTo("glass-bell\n");
            assertThat(vm.guest().hello().protocolVersion()).isEqualTo(1);
            assertThat(vm.guest().hello().untilReady())
                    .isGreaterThanOrEqualTo(vm.guest().hello().untilAgent());
        }
    }

    @Test
    void aPausedGuestAnswersOnlyAfterItIsResumed() {
        try (Vm vm = running()) {
            vm.pause(soon());
            assertThat(vm.state()).isEqualTo(VmState.PAUSED);
            assertThatThrownBy(() -> vm.pause(soon())).isInstanceOf(VmStateException.class);
            assertThatThrownBy(() -> vm.guest().ping(Deadline.after(Duration.ofMillis(100))))
                    .isInstanceOf(VmDeadlineException.class);
            vm.resume(soon());
            assertThat(vm.state()).isEqualTo(VmState.RUNNING);
            vm.guest().ping(soon());
        }
    }

    @Test
    void theEndOfTheMainExecutionIsTheEndOfTheVm() {
        try (Vm vm = running()) {
            GuestExecution main =
                    vm.guest().exec(ExecRequest.of("sh", "-c", "exit 3").asMain(), soon());
            assertThat(main.await(soon())).isEqualTo(new ExitStatus.Exited(3));
            VmExit exit = vm.awaitExit(soon());
            assertThat(exit.mainExit()).contains(new ExitStatus.Exited(3));
            assertThat(exit.crashed()).isFalse();
            assertThat(vm.state()).isEqualTo(VmState.STOPPED);
        }
    }

    @Test
    void aKilledVmSaysNoGoodbyeAndEndsItsConversations() {
        try (Vm vm = running()) {
            GuestExecution sleep = vm.guest().exec(ExecRequest.of("sleep", "1000"), soon());
            VmExit exit = vm.kill(soon());
            assertThat(exit.cause()).isEqualTo(VmExit.Cause.KILLED);
            assertThat(exit.goodbye()).isEmpty();
            assertThat(exit.crashed()).isFalse();
            assertThat(exit.processSignal()).hasValue(9);
            assertThatThrownBy(() -> sleep.await(soon())).isInstanceOf(GuestConnectionLostException.class);
            assertThatThrownBy(() -> sleep.stdout().read()).isInstanceOf(GuestConnectionLostException.class);
            assertThatThrownBy(vm::guest).isInstanceOf(VmStateException.class);
        }
    }

    @Test
    void closingKillsAnAttachedVmAndLeavesItsFiles() {
        VmId id;
        try (Vm vm = running()) {
            id = vm.id();
        }
        VmInfo info = provider.get(id).orElseThrow();
        assertThat(info.state()).isEqualTo(VmState.STOPPED);
        assertThat(info.exit().orElseThrow().cause()).isEqualTo(VmExit.Cause.KILLED);
        provider.destroy(id);
        assertThat(provider.get(id)).isEmpty();
    }

    @Test
    void aDetachedVmOutlivesItsHandleAndIsConnectedToAndKilled() throws IOException {
        VmId id;
        try (Vm vm = running()) {
            id = vm.id();
            vm.detach();
        }
        try (Vm connected = provider.connect(id, soon())) {
            assertThat(connected.state()).isEqualTo(VmState.RUNNING);
            assertThat(output(connected, ExecRequest.of("echo", "still here"))).isEqualTo("still here\n");
            assertThatThrownBy(connected::detach).isInstanceOf(VmStateException.class);
            assertThatThrownBy(connected::destroy).isInstanceOf(VmStateException.class);
        }
        assertThat(provider.get(id).orElseThrow().state()).isEqualTo(VmState.RUNNING);
        VmExit exit = provider.kill(id, soon());
        assertThat(exit.cause()).isEqualTo(VmExit.Cause.KILLED);
        assertThat(provider.kill(id, soon())).isEqualTo(exit);
        provider.destroy(id);
        assertThat(provider.list()).isEmpty();
    }

    @Test
    void sevenClientsConnectBesideTheOwnerAndAnEighthIsRefused() throws IOException {
        List<Vm> clients = new ArrayList<>();
        try (Vm vm = running()) {
            for (int i = 0; i < 7; i++) {
                clients.add(provider.connect(vm.id(), soon()));
            }
            assertThatThrownBy(() -> provider.connect(vm.id(), soon())).isInstanceOf(VmBusyException.class);
            assertThat(output(clients.getLast(), ExecRequest.of("echo", "8"))).isEqualTo("8\n");
            clients.getFirst().close();
            Vm again = provider.connect(vm.id(), soon());
            clients.add(again);
            assertThat(output(again, ExecRequest.of("echo", "again"))).isEqualTo("again\n");
            VmExit exit = again.stop(Duration.ofSeconds(5), soon());
            assertThat(exit.goodbye()).isPresent();
            assertThat(vm.awaitExit(soon())).isEqualTo(exit);
        } finally {
            clients.forEach(Vm::close);
        }
    }

    @Test
    void theMaximumDurationEndsAVm() {
        VmSpec spec = spec().withMaxDuration(Duration.ofSeconds(8));
        try (Vm vm = provider.create(spec)) {
            vm.start(soon());
            VmExit exit = vm.awaitExit(soon());
            assertThat(exit.cause()).isEqualTo(VmExit.Cause.MAX_DURATION);
            assertThat(exit.crashed()).isFalse();
            assertThat(vm.state()).isEqualTo(VmState.STOPPED);
        }
    }

    @Test
    void anInterruptedCallerLeavesAConnectionThatWorks() throws Exception {
        try (Vm vm = running();
                GuestExecution sleep = vm.guest().exec(ExecRequest.of("sleep", "1000"), soon())) {
            List<RuntimeException> failures = new ArrayList<>();
            Thread waiting = Thread.ofPlatform().start(() -> {
                try {
                    sleep.await(soon());
                } catch (RuntimeException e) {
                    failures.add(e);
                }
            });
            waiting.interrupt();
            waiting.join();
            assertThat(failures).singleElement().isInstanceOf(VmInterruptedException.class);
            vm.guest().ping(soon());
        }
    }

    @Test
    void closingTheProviderClosesItsHandles() {
        Vm vm = running();
        provider.close();
        assertThat(vm.state()).isEqualTo(VmState.STOPPED);
        assertThat(provider.capabilities().acceleratorReason()).isNotEmpty();
    }
}
