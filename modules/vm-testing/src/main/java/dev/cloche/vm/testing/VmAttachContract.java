package dev.cloche.vm.testing;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cloche.base.Deadline;
import dev.cloche.vm.AttachPoint;
import dev.cloche.vm.ExecRequest;
import dev.cloche.vm.ExecutionInfo;
import dev.cloche.vm.ExitStatus;
import dev.cloche.vm.Guest;
import dev.cloche.vm.GuestException;
import dev.cloche.vm.GuestExecution;
import dev.cloche.vm.GuestFailure;
import dev.cloche.vm.Output;
import dev.cloche.vm.Vm;
import dev.cloche.vm.VmException;
import dev.cloche.vm.VmExit;
import dev.cloche.vm.VmId;
import dev.cloche.vm.VmProvider;
import dev.cloche.vmm.channel.ExecutionTable;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/** Says what every provider promises of executions that outlive a connection: nothing comes twice, and no loss is silent. */
public interface VmAttachContract extends VmFixture {
    @Test
    default void anExecutionGoesOnWhereItsDeadConnectionHadRead() throws IOException {
        try (VmProvider provider = provider();
                Vm vm = provider.create(spec())) {
            vm.start(soon());
            GuestExecution first;
            try (Vm client = provider.connect(vm.id(), soon())) {
                first = client.guest().exec(ExecRequest.of("cat").withStdin(), soon());
                first.stdin().write("one two".getBytes(UTF_8));
                assertThat(first.stdout().readNBytes(4)).isEqualTo("one ".getBytes(UTF_8));
                assertThat(first.offset(Output.STDOUT)).isEqualTo(4);
            }
            assertThatThrownBy(() -> first.stdout().readAllBytes()).isInstanceOf(GuestException.ConnectionLost.class);
            try (GuestExecution rest = vm.guest().attach(first.id(), new AttachPoint(4, 0), soon())) {
                assertThat(rest.processId()).isEqualTo(first.processId());
                assertThat(rest.stdinOffset()).isEqualTo(7);
                try (OutputStream stdin = rest.stdin()) {
                    stdin.write(" three".getBytes(UTF_8));
                }
                assertThat(read(rest.stdout())).isEqualTo("two three");
                assertThat(rest.offset(Output.STDOUT)).isEqualTo(13);
                assertThat(rest.await(soon())).isEqualTo(new ExitStatus.Exited(0));
            }
        }
    }

    @Test
    default void whatHasAKeyIsStartedOnceHoweverOftenItIsAskedFor() throws IOException {
        try (Vm vm = running()) {
            ExecRequest request = ExecRequest.of("cat").withStdin().acknowledgedAs("job 7");
            GuestExecution first = vm.guest().exec(request, soon());
            assertThatThrownBy(() -> vm.guest().exec(request, soon()))
                    .isInstanceOfSatisfying(
                            GuestException.Refused.class,
                            refused -> assertThat(refused.failure()).isEqualTo(GuestFailure.KEY_TAKEN));
            assertThat(info(vm, first.id()).key()).contains("job 7");
            first.stdin().close();
            assertThat(first.await(soon())).isEqualTo(new ExitStatus.Exited(0));
            assertThatThrownBy(() -> vm.guest().exec(request, soon())).isInstanceOf(GuestException.Refused.class);
            first.close();
            vm.guest().release(first.id(), soon());
            try (GuestExecution second = vm.guest().exec(request, soon())) {
                assertThat(second.id()).isNotEqualTo(first.id());
                second.stdin().close();
                assertThat(second.await(soon())).isEqualTo(new ExitStatus.Exited(0));
            }
        }
    }

    /** Tests that a caller that asks again finds it, and not the remains of one that was killed. */
    @Test
    default void whatHasAKeyIsNotEndedByACallerWhoDidNotWaitForItsStart() throws IOException {
        try (Vm vm = running()) {
            ExecRequest request = ExecRequest.of("cat").withStdin().acknowledgedAs("job 8");
            vm.pause(soon());
            assertThatThrownBy(() -> vm.guest().exec(request, Deadline.after(Duration.ofMillis(100))))
                    .isInstanceOf(VmException.Deadline.class);
            vm.resume(soon());
            ExecutionInfo started = Awaitility.await()
                    .until(() -> vm.guest().executions(soon()), known -> !known.isEmpty())
                    .getFirst();
            assertThat(started.key()).contains("job 8");
            try (GuestExecution found = vm.guest().attach(started.id(), AttachPoint.BEGINNING, soon())) {
                found.stdin().close();
                assertThat(found.await(soon())).isEqualTo(new ExitStatus.Exited(0));
            }
        }
    }

    @Test
    default void aKeyNeedsAnAcknowledgedExecutionAndABound() {
        assertThatThrownBy(() -> ExecRequest.of("cat").acknowledgedAs("")).isInstanceOf(VmException.Invalid.class);
        assertThatThrownBy(() -> ExecRequest.of("cat").acknowledgedAs("x".repeat(129)))
                .isInstanceOf(VmException.Invalid.class);
        assertThat(ExecRequest.of("cat").acknowledgedAs("x".repeat(128)).has(ExecRequest.Option.ACKNOWLEDGED))
                .isTrue();
    }

    @Test
    default void whatAPlainExecutionWroteBeyondItsWindowIsATypedGap() throws IOException {
        byte[] written = IntStream.rangeClosed(1, 100_000)
                .mapToObj(number -> number + "\n")
                .collect(Collectors.joining())
                .getBytes(StandardCharsets.US_ASCII);
        try (Vm vm = running()) {
            int id;
            try (GuestExecution left =
                    vm.guest().exec(ExecRequest.of("seq", "100000").withWindow(4096), soon())) {
                id = left.id();
            }
            // By its end alone some of it may still be in its pipe, and a reader would be given that as well.
            ExecutionInfo ended = Awaitility.await()
                    .until(
                            () -> info(vm, id),
                            info -> info.end().isPresent() && info.stdout().to() == written.length);
            int missing = Math.toIntExact(ended.stdout().from());
            assertThat(missing).isBetween(written.length - 4096, written.length - 1);
            try (GuestExecution rest = vm.guest().attach(id, AttachPoint.BEGINNING, soon())) {
                assertThatThrownBy(() -> rest.stdout().read())
                        .isInstanceOfSatisfying(GuestException.OutputGap.class, gap -> {
                            assertThat(gap.offset()).isZero();
                            assertThat(gap.missing()).isEqualTo(missing);
                        });
                assertThat(rest.offset(Output.STDOUT)).isEqualTo(missing);
                assertThat(rest.stdout().readAllBytes())
                        .isEqualTo(Arrays.copyOfRange(written, missing, written.length));
                assertThat(rest.await(soon())).isEqualTo(new ExitStatus.Exited(0));
            }
        }
    }

    @Test
    default void acknowledgedOutputWaitsForItsAcknowledgementAndIsNeverLost() throws Exception {
        byte[] bytes = new byte[300_000];
        new Random(11).nextBytes(bytes);
        int window = 4096;
        try (VmProvider provider = provider();
                Vm vm = provider.create(spec())) {
            vm.start(soon());
            GuestExecution cat = vm.guest()
                    .exec(ExecRequest.of("cat").withStdin().acknowledged().withWindow(window), soon());
            Thread writer = Thread.ofVirtual().start(() -> write(cat, bytes));
            assertThat(cat.stdout().readNBytes(window)).isEqualTo(Arrays.copyOf(bytes, window));
            // All is read, nothing is acknowledged: the program waits.
            assertThat(cat.stdout().available()).isZero();
            assertThat(info(vm, cat.id()).stdout()).isEqualTo(new ExecutionInfo.Kept(0, window));
            try (Vm client = provider.connect(vm.id(), soon());
                    GuestExecution again = client.guest().attach(cat.id(), AttachPoint.BEGINNING, soon())) {
                assertThat(again.stdout().readNBytes(window)).isEqualTo(Arrays.copyOf(bytes, window));
                writer.join();
                Thread rest = Thread.ofVirtual()
                        .start(() -> write(again, Arrays.copyOfRange(bytes, (int) again.stdinOffset(), bytes.length)));
                byte[] read = new byte[bytes.length];
                int at = window;
                while (at < bytes.length) {
                    again.acknowledge(Output.STDOUT, at);
                    at += again.stdout().read(read, at, bytes.length - at);
                }
                assertThat(Arrays.copyOfRange(read, window, at))
                        .isEqualTo(Arrays.copyOfRange(bytes, window, bytes.length));
                assertThatThrownBy(() -> again.acknowledge(Output.STDOUT, bytes.length + 1L))
                        .isInstanceOf(VmException.Invalid.class);
                assertThat(again.await(soon())).isEqualTo(new ExitStatus.Exited(0));
                rest.join();
            }
        }
    }

    private static void write(GuestExecution to, byte[] bytes) {
        try (OutputStream stdin = to.stdin()) {
            stdin.write(bytes);
        } catch (IOException | GuestException.ExecutionTaken takenOver) {
            // Another connection goes on.
        }
    }

    @Test
    default void whoAttachesTakesOverAndTheOtherIsTold() throws IOException {
        try (VmProvider provider = provider();
                Vm vm = provider.create(spec())) {
            vm.start(soon());
            GuestExecution mine = vm.guest().exec(ExecRequest.of("cat").withStdin(), soon());
            assertThatThrownBy(() -> vm.guest().attach(mine.id(), AttachPoint.BEGINNING, soon()))
                    .isInstanceOf(VmException.Busy.class);
            try (Vm client = provider.connect(vm.id(), soon());
                    GuestExecution theirs = client.guest().attach(mine.id(), AttachPoint.BEGINNING, soon())) {
                assertThatThrownBy(() -> mine.stdout().read()).isInstanceOf(GuestException.ExecutionTaken.class);
                assertThatThrownBy(() -> mine.await(soon())).isInstanceOf(GuestException.ExecutionTaken.class);
                assertThatThrownBy(() -> mine.stdin().write(1)).isInstanceOf(GuestException.ExecutionTaken.class);
                mine.close();
                try (OutputStream stdin = theirs.stdin()) {
                    stdin.write("theirs".getBytes(UTF_8));
                }
                assertThat(read(theirs.stdout())).isEqualTo("theirs");
            }
            vm.guest().ping(soon());
        }
    }

    @Test
    default void theEndOfAnExecutionIsKeptUntilItIsRead() throws IOException {
        try (Vm vm = running()) {
            GuestExecution cat = vm.guest().exec(ExecRequest.of("cat").withStdin(), soon());
            cat.stdin().write("kept".getBytes(UTF_8));
            assertThat(cat.stdout().read()).isEqualTo('k');
            cat.close();
            cat.signal(15, soon());
            Awaitility.await().until(() -> info(vm, cat.id()).end().isPresent());
            assertThat(info(vm, cat.id()).end()).contains(new ExitStatus.Signalled(15));
            try (GuestExecution rest = vm.guest().attach(cat.id(), new AttachPoint(1, 0), soon())) {
                assertThat(read(rest.stdout())).isEqualTo("ept");
                assertThat(rest.await(soon())).isEqualTo(new ExitStatus.Signalled(15));
            }
            Awaitility.await()
                    .untilAsserted(() -> assertRefused(
                            GuestFailure.NO_SUCH_EXECUTION,
                            () -> vm.guest().attach(cat.id(), AttachPoint.BEGINNING, soon())));
        }
    }

    @Test
    default void anAcknowledgedExecutionIsKnownUntilItIsReleased() throws IOException {
        try (Vm vm = running()) {
            Guest guest = vm.guest();
            GuestExecution cat = guest.exec(ExecRequest.of("cat").withStdin().acknowledged(), soon());
            assertRefused(GuestFailure.STILL_RUNNING, () -> guest.release(cat.id(), soon()));
            try (OutputStream stdin = cat.stdin()) {
                stdin.write("again".getBytes(UTF_8));
            }
            assertThat(read(cat.stdout())).isEqualTo("again");
            assertThat(cat.await(soon()).success()).isTrue();
            try (GuestExecution again = guest.attach(cat.id(), AttachPoint.BEGINNING, soon())) {
                assertThat(read(again.stdout())).isEqualTo("again");
                assertThat(again.await(soon()).success()).isTrue();
            }
            assertRefused(GuestFailure.BAD_REQUEST, () -> guest.attach(cat.id(), new AttachPoint(6, 0), soon()));
            guest.release(cat.id(), soon());
            assertRefused(GuestFailure.NO_SUCH_EXECUTION, () -> guest.release(cat.id(), soon()));
            assertThat(guest.executions(soon())).isEmpty();
        }
    }

    @Test
    default void executionsAreListed() {
        try (Vm vm = running()) {
            Guest guest = vm.guest();
            assertThat(guest.executions(soon())).isEmpty();
            GuestExecution sleep = guest.exec(ExecRequest.of("sleep", "1000"), soon());
            GuestExecution cat = guest.exec(ExecRequest.of("cat").withStdin().acknowledged(), soon());
            List<ExecutionInfo> all = guest.executions(soon());
            assertThat(all).extracting(ExecutionInfo::id).containsExactly(sleep.id(), cat.id());
            assertThat(all.getFirst().processId()).isEqualTo(sleep.processId());
            assertThat(all.getFirst().program()).endsWith("sleep");
            assertThat(all)
                    .allMatch(ExecutionInfo::attached)
                    .allMatch(info -> info.end().isEmpty());
            assertThat(all).extracting(ExecutionInfo::acknowledged).containsExactly(false, true);
            assertThat(all).extracting(ExecutionInfo::stdin).containsExactly(false, true);
            sleep.close();
            Awaitility.await().until(() -> !info(vm, sleep.id()).attached());
        }
    }

    @Test
    default void aMainCommandWhoseOutputWaitedForAReaderThatVanishedEndsItsVm() {
        VmId id;
        try (Vm vm = running()) {
            id = vm.id();
            GuestExecution endless =
                    vm.guest().exec(ExecRequest.of("yes").withWindow(4096).asMain(), soon());
            Awaitility.await()
                    .untilAsserted(() ->
                            assertThat(info(vm, endless.id()).stdout().to()).isGreaterThan(ExecutionTable.WINDOW));
            endless.signal(9, soon());
            vm.detach();
            // Without a DETACH: the guest is to find out for itself; no connection comes that would wake it.
        }
        Awaitility.await().until(() -> !provider().get(id).orElseThrow().state().live());
        assertThat(provider().get(id).orElseThrow().exit().flatMap(VmExit::mainExit))
                .contains(new ExitStatus.Signalled(9));
    }

    private ExecutionInfo info(Vm vm, int id) {
        return vm.guest().executions(soon()).stream()
                .filter(info -> info.id() == id)
                .findFirst()
                .orElseThrow();
    }
}
