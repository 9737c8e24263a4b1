package dev.cloche.vm.testing;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cloche.vm.AttachPoint;
import dev.cloche.vm.ExecRequest;
import dev.cloche.vm.ExitStatus;
import dev.cloche.vm.Guest;
import dev.cloche.vm.GuestException;
import dev.cloche.vm.GuestExecution;
import dev.cloche.vm.GuestFailure;
import dev.cloche.vm.GuestIdentity;
import dev.cloche.vm.OutputLog;
import dev.cloche.vm.SpawnException;
import dev.cloche.vm.Vm;
import dev.cloche.vm.VmException;
import dev.cloche.vm.VmSpec;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Says what every provider promises of a guest: executions, their streams and ends, and its identity. */
public interface VmExecutionContract extends VmFixture {
    @Test
    default void programsGetArgumentsEnvironmentAndDirectoryAndTheirEndIsExact() throws IOException {
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
    default void whatCannotBeStartedIsATypedError() {
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
    default void aStdinLargerThanEveryWindowComesBackWhole() throws Exception {
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
    default void aReaderThatDoesNotReadDelaysNoOtherStream() throws IOException {
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
                            GuestException.Refused.class,
                            e -> assertThat(e.failure()).isEqualTo(GuestFailure.NO_SUCH_EXECUTION));
        }
    }

    @Test
    default void aProgramThatDoesNotReadItsStdinBlocksOnlyItsWriter() throws Exception {
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
    default void anExecutionThatIsLetGoRunsOnAndCanBeAttachedToAgain() throws IOException {
        try (Vm vm = running()) {
            GuestExecution endless = vm.guest().exec(ExecRequest.of("yes"), soon());
            endless.close();
            assertThatThrownBy(() -> endless.stdout().read()).isInstanceOf(IOException.class);
            assertThatThrownBy(() -> endless.await(soon())).isInstanceOf(GuestException.ExecutionClosed.class);
            try (GuestExecution again = vm.guest().attach(endless.id(), AttachPoint.BEGINNING, soon())) {
                again.signal(15, soon());
                drain(again.stdout());
                assertThat(again.await(soon())).isEqualTo(new ExitStatus.Signalled(15));
            }
        }
    }

    @Test
    default void whatTheMainProgramWritesIsLoggedAndOutlivesTheVm() {
        VmSpec spec = spec().withOutputLogBytes(256 << 10);
        try (Vm vm = provider().create(spec)) {
            vm.start(soon());
            vm.guest().exec(ExecRequest.of("echo", "out").asMain(), soon()).close();
            vm.awaitExit(soon());
            StringBuilder out = new StringBuilder();
            try (OutputLog log = provider().outputLog(spec.id())) {
                for (var entry = log.await(soon()); entry.isPresent(); entry = log.await(soon())) {
                    assertThat(entry.get().missing()).isZero();
                    assertThat(entry.get().error()).isFalse();
                    out.append(UTF_8.decode(entry.get().bytes()));
                }
            }
            assertThat(out.toString()).isEqualTo("out\n");
            vm.destroy();
            assertThatThrownBy(() -> provider().outputLog(spec.id())).isInstanceOf(VmException.NotFound.class);
        }
    }

    @Test
    default void aGuestTakesANewIdentity() throws IOException {
        try (Vm vm = running()) {
            vm.guest().configure(GuestIdentity.fresh("glass-bell", Clock.systemUTC()), soon());
            assertThat(output(vm, ExecRequest.of("hostname"))).isEqualTo("glass-bell\n");
            assertThat(vm.guest().hello().protocolVersion()).isEqualTo(2);
            assertThat(vm.guest().hello().untilReady())
                    .isGreaterThanOrEqualTo(vm.guest().hello().untilAgent());
        }
    }

    @Test
    default void anInterruptedCallerLeavesAConnectionThatWorks() throws Exception {
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
            assertThat(failures).singleElement().isInstanceOf(VmException.Interrupted.class);
            vm.guest().ping(soon());
        }
    }
}
