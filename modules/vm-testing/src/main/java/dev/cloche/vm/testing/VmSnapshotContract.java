package dev.cloche.vm.testing;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cloche.vm.ExecRequest;
import dev.cloche.vm.ExecutionInfo;
import dev.cloche.vm.GuestExecution;
import dev.cloche.vm.GuestIdentity;
import dev.cloche.vm.SnapshotException;
import dev.cloche.vm.SnapshotName;
import dev.cloche.vm.SnapshotRef;
import dev.cloche.vm.TakenSnapshot;
import dev.cloche.vm.Vm;
import dev.cloche.vm.VmException;
import dev.cloche.vm.VmId;
import dev.cloche.vm.VmSpec;
import dev.cloche.vm.VmState;
import dev.cloche.vm.WritableLayer;
import java.io.IOException;
import java.time.Clock;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Says what every provider promises of snapshots, and of the VMs that are restored from them. */
public interface VmSnapshotContract extends VmFixture {
    SnapshotName NAME = new SnapshotName("of-the-test");

    /** Takes a template of the fixture's VM. */
    default SnapshotRef template() {
        try (Vm maker = provider().create(spec().asTemplateMaker())) {
            maker.start(soon());
            SnapshotRef taken = maker.snapshot(NAME, soon());
            maker.destroy();
            return taken;
        }
    }

    default Vm clone(SnapshotRef snapshot) {
        Vm clone = provider().create(VmSpec.restored(VmId.random(), snapshot));
        clone.start(soon());
        return clone;
    }

    default String hostname(Vm vm) throws IOException {
        return output(vm, ExecRequest.of("hostname")).strip();
    }

    @Test
    default void aRunningVmGoesOnAfterItsSnapshotAndItsCloneIsAnother() throws IOException {
        try (Vm vm = running()) {
            vm.guest().configure(GuestIdentity.fresh("original", Clock.systemUTC()), soon());
            SnapshotRef taken = vm.snapshot(NAME, soon());
            assertThat(taken.kind()).isEqualTo(SnapshotRef.Kind.STREAMED);
            assertThat(provider().snapshots()).containsExactly(taken);
            assertThat(provider().snapshot(NAME)).contains(taken);
            assertThat(vm.state()).isEqualTo(VmState.RUNNING);
            try (Vm clone = clone(taken)) {
                assertThat(clone.state()).isEqualTo(VmState.RUNNING);
                assertThat(hostname(clone)).isEqualTo(clone.id().value());
                assertThat(hostname(vm)).isEqualTo("original");
                vm.kill(soon());
                assertThat(output(clone, ExecRequest.of("echo", "still here"))).isEqualTo("still here\n");
                assertThat(clone.stop(Duration.ofSeconds(5), soon()).goodbye()).isPresent();
            }
        }
    }

    @Test
    default void aCloneHasTheSecretsOfItsOriginalUnlessItsIdentityTakesThemAway() throws IOException {
        GuestIdentity fresh = GuestIdentity.fresh("somebody", Clock.systemUTC());
        GuestIdentity given = fresh.withSecrets(Map.of("token", "the original's".getBytes(UTF_8)));
        try (Vm vm = running()) {
            vm.guest().configure(given, soon());
            SnapshotRef taken = vm.snapshot(NAME, soon());
            try (Vm twin = clone(taken);
                    Vm without = clone(taken, fresh.withEarlierSecretsRemoved());
                    Vm other = clone(
                            taken,
                            fresh.withEarlierSecretsRemoved()
                                    .withSecrets(Map.of("other", "its own".getBytes(UTF_8))))) {
                assertThat(secret(twin, "token")).isEqualTo("the original's");
                assertThat(secret(without, "token")).isEmpty();
                assertThat(secret(other, "token")).isEmpty();
                assertThat(secret(other, "other")).isEqualTo("its own");
            }
            assertThat(secret(vm, "token")).isEqualTo("the original's");
            vm.guest().configure(fresh.withEarlierSecretsRemoved(), soon());
            // Where there is nothing to take away, nothing happens.
            vm.guest().configure(fresh.withEarlierSecretsRemoved(), soon());
            assertThat(secret(vm, "token")).isEmpty();
        }
    }

    /** Empty if it has none of the name. */
    private String secret(Vm vm, String name) throws IOException {
        try (GuestExecution cat = vm.guest().exec(ExecRequest.of("cat", "/run/secrets/" + name), soon())) {
            return new String(cat.stdout().readAllBytes(), UTF_8);
        }
    }

    private Vm clone(SnapshotRef snapshot, GuestIdentity identity) {
        Vm clone = provider().create(VmSpec.restored(VmId.random(), snapshot));
        clone.start(() -> identity, soon());
        return clone;
    }

    @Test
    default void aTemplatesMakerEndsWithItsSnapshotAndManyAreRestoredFromIt() throws IOException {
        SnapshotRef taken;
        try (Vm maker = provider().create(spec().asTemplateMaker())) {
            maker.start(soon());
            taken = maker.snapshot(NAME, soon());
            assertThat(maker.state()).isEqualTo(VmState.STOPPED);
            maker.destroy();
        }
        assertThat(taken.kind()).isEqualTo(SnapshotRef.Kind.MAPPED);
        try (Vm first = clone(taken);
                Vm second = clone(taken)) {
            assertThat(hostname(first)).isEqualTo(first.id().value());
            assertThat(hostname(second)).isEqualTo(second.id().value());
        }
    }

    @Test
    default void aCloneIsForkedAgain() throws IOException {
        SnapshotName again = new SnapshotName("of-a-clone");
        try (Vm clone = clone(template())) {
            SnapshotRef fork = clone.snapshot(again, soon());
            try (Vm forked = clone(fork)) {
                assertThat(hostname(forked)).isEqualTo(forked.id().value());
                assertThat(hostname(clone)).isEqualTo(clone.id().value());
            }
        }
    }

    @Test
    default void aStreamBecomesATemplateByAMakerThatIsRestoredFromIt() throws IOException {
        SnapshotRef streamed;
        try (Vm vm = running()) {
            streamed = vm.snapshot(new SnapshotName("streamed"), soon());
        }
        try (Vm maker =
                provider().create(VmSpec.restored(VmId.random(), streamed).asTemplateMaker())) {
            maker.start(soon());
            SnapshotRef mapped = maker.snapshot(NAME, soon());
            assertThat(mapped.kind()).isEqualTo(SnapshotRef.Kind.MAPPED);
            try (Vm clone = clone(mapped)) {
                assertThat(hostname(clone)).isEqualTo(clone.id().value());
            }
        }
    }

    @Test
    default void aPausedVmStaysPausedAndItsCloneRuns() throws IOException {
        try (Vm vm = running()) {
            vm.pause(soon());
            SnapshotRef taken = vm.snapshot(NAME, soon());
            assertThat(vm.state()).isEqualTo(VmState.PAUSED);
            try (Vm clone = clone(taken)) {
                assertThat(output(clone, ExecRequest.of("echo", "up"))).isEqualTo("up\n");
            }
            vm.resume(soon());
            vm.guest().ping(soon());
        }
    }

    @Test
    default void aPreparedCloneGetsItsIdentityWhenItIsResumed() throws IOException {
        SnapshotRef taken = template();
        try (Vm given = provider().create(VmSpec.restored(VmId.random(), taken));
                Vm fresh = provider().create(VmSpec.restored(VmId.random(), taken))) {
            given.prepare(soon());
            fresh.prepare(soon());
            assertThat(given.state()).isEqualTo(VmState.PAUSED);
            given.resume(() -> GuestIdentity.fresh("given", Clock.systemUTC()), soon());
            fresh.resume(soon());
            assertThat(hostname(given)).isEqualTo("given");
            assertThat(hostname(fresh)).isEqualTo(fresh.id().value());
        }
    }

    @Test
    default void whoAdoptsAPreparedCloneGivesItItsIdentity() throws IOException {
        VmId id = VmId.random();
        try (Vm clone = provider().create(VmSpec.restored(id, template()))) {
            clone.prepare(soon());
            clone.detach();
        }
        try (Vm adopted = provider().adopt(id, soon())) {
            assertThat(adopted.state()).isEqualTo(VmState.PAUSED);
            adopted.resume(soon());
            assertThat(hostname(adopted)).isEqualTo(id.value());
            adopted.guest().configure(GuestIdentity.fresh("renamed", Clock.systemUTC()), soon());
        }
        try (Vm again = provider().adopt(id, soon())) {
            assertThat(hostname(again)).isEqualTo("renamed");
            again.kill(soon());
        }
    }

    @Test
    default void aStartGivesTheIdentityThatItIsTold() throws IOException {
        try (Vm vm = provider().create(spec())) {
            vm.start(() -> GuestIdentity.fresh("booted", Clock.systemUTC()), soon());
            assertThat(hostname(vm)).isEqualTo("booted");
        }
        try (Vm clone = provider().create(VmSpec.restored(VmId.random(), template()))) {
            clone.start(() -> GuestIdentity.fresh("restored", Clock.systemUTC()), soon());
            assertThat(hostname(clone)).isEqualTo("restored");
        }
    }

    @Test
    default void whatContradictsASnapshotIsRefused() {
        VmSpec clone = VmSpec.restored(VmId.random(), template());
        assertThatThrownBy(() -> clone.withMemoryMiB(clone.memoryMiB() + 1)).isInstanceOf(VmException.Invalid.class);
        assertThatThrownBy(() -> clone.withCpus(clone.cpus() + 1)).isInstanceOf(VmException.Invalid.class);
        assertThatThrownBy(() -> clone.withWritable(WritableLayer.disk(64))).isInstanceOf(VmException.Invalid.class);
        assertThatThrownBy(() -> clone.withAttached(false).asTemplateMaker()).isInstanceOf(VmException.Invalid.class);
    }

    @Test
    default void aNameIsTakenOnceAndAGoneSnapshotIsNotRestored() {
        SnapshotRef taken = template();
        try (Vm vm = running();
                Vm late = provider().create(VmSpec.restored(VmId.random(), taken))) {
            assertThatThrownBy(() -> vm.snapshot(NAME, soon())).isInstanceOf(SnapshotException.Exists.class);
            assertThat(vm.state()).isEqualTo(VmState.RUNNING);
            provider().deleteSnapshot(NAME);
            assertThat(provider().snapshots()).isEmpty();
            assertThat(provider().snapshot(NAME)).isEmpty();
            assertThatThrownBy(() -> provider().deleteSnapshot(NAME)).isInstanceOf(SnapshotException.NotFound.class);
            SnapshotRef next = vm.snapshot(NAME, soon());
            assertThat(next).isNotEqualTo(taken);
            assertThatThrownBy(() -> late.start(soon())).isInstanceOf(SnapshotException.NotFound.class);
            assertThat(late.state()).isEqualTo(VmState.FAILED);
        }
    }

    @Test
    default void aCopyOfASnapshotOutlivesIt() throws IOException {
        SnapshotName other = new SnapshotName("other");
        assertThatThrownBy(() -> provider().copySnapshot(NAME, other)).isInstanceOf(SnapshotException.NotFound.class);
        try (Vm vm = running()) {
            SnapshotRef taken = vm.snapshot(NAME, soon());
            SnapshotRef copy = provider().copySnapshot(NAME, other);
            assertThat(copy.copied(NAME, taken.createdAt())).isEqualTo(taken);
            assertThat(provider().snapshots()).containsExactlyInAnyOrder(taken, copy);
            assertThatThrownBy(() -> provider().copySnapshot(NAME, other)).isInstanceOf(SnapshotException.Exists.class);
            provider().deleteSnapshot(NAME);
            try (Vm clone = clone(copy)) {
                assertThat(output(clone, ExecRequest.of("echo", "here"))).isEqualTo("here\n");
            }
            assertThat(provider().snapshots()).containsExactly(copy);
        }
    }

    @Test
    default void aStreamIsDeletedWhileACloneOfItRuns() throws IOException {
        try (Vm vm = running()) {
            TakenSnapshot taken = vm.take(NAME, soon());
            assertThat(taken.pause()).isPositive();
            try (Vm clone = clone(taken.ref())) {
                provider().deleteSnapshot(NAME);
                assertThat(hostname(clone)).isEqualTo(clone.id().value());
            }
        }
    }

    @Test
    default void whatRunsInTheOriginalIsEndedInACloneThatIsToBeginWithoutIt() throws IOException {
        try (Vm vm = running();
                GuestExecution sleeping = vm.guest().exec(ExecRequest.of("sleep", "1000"), soon())) {
            SnapshotRef taken = vm.snapshot(NAME, soon());
            try (Vm clone = provider().create(VmSpec.restored(VmId.random(), taken))) {
                clone.start(
                        () -> GuestIdentity.fresh("child", Clock.systemUTC()).withExecutionsEnded(), soon());
                assertThat(clone.guest().executions(soon())).isEmpty();
                assertThat(hostname(clone)).isEqualTo("child");
            }
            assertThat(vm.guest().executions(soon()))
                    .extracting(ExecutionInfo::id)
                    .contains(sleeping.id());
            vm.guest().configure(GuestIdentity.UNCHANGED.withExecutionsEnded(), soon());
            assertThat(vm.guest().executions(soon())).isEmpty();
            assertThat(vm.state()).isEqualTo(VmState.RUNNING);
        }
    }

    @Test
    default void aSnapshotIsNotDeletedWhileACloneRuns() {
        try (Vm clone = clone(template())) {
            assertThatThrownBy(() -> provider().deleteSnapshot(NAME))
                    .isInstanceOf(VmException.Busy.class)
                    .hasMessageContaining(clone.id().value());
            assertThat(provider().isSnapshotMapped(NAME)).isTrue();
            clone.kill(soon());
            assertThat(provider().isSnapshotMapped(NAME)).isFalse();
            provider().deleteSnapshot(NAME);
        }
        assertThat(provider().snapshots()).isEmpty();
    }

    @Test
    default void onlyAnOwnerTakesASnapshotAndOnlyOfWhatRuns() {
        try (Vm vm = provider().create(spec())) {
            assertThatThrownBy(() -> vm.snapshot(NAME, soon())).isInstanceOf(VmException.WrongState.class);
            vm.start(soon());
            try (Vm client = provider().connect(vm.id(), soon())) {
                assertThatThrownBy(() -> client.snapshot(NAME, soon())).isInstanceOf(VmException.WrongState.class);
            }
            vm.kill(soon());
            assertThatThrownBy(() -> vm.snapshot(NAME, soon())).isInstanceOf(VmException.WrongState.class);
        }
        assertThat(provider().snapshots()).isEmpty();
    }
}
