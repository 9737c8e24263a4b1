package dev.cloche.sandbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cloche.base.ClocheException;
import dev.cloche.image.ImageInUse;
import dev.cloche.image.ImageReference;
import dev.cloche.image.PullListener;
import dev.cloche.vm.GuestFiles;
import dev.cloche.vm.NetworkSpec;
import dev.cloche.vm.PublishedPort;
import dev.cloche.vm.SnapshotMismatchException;
import dev.cloche.vm.SnapshotName;
import dev.cloche.vm.Vm;
import dev.cloche.vm.VmStorageException;
import dev.cloche.vm.WriteOptions;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Snapshots, restores and forks of sandboxes, on VMs in memory. */
class SandboxSnapshotsTest extends OnTestHost {
    private SandboxSnapshots snapshots;

    @BeforeEach
    void open() {
        snapshots = sandboxes.snapshots();
    }

    private static SandboxSpec withDisk(String name) {
        return TestHost.named(name, "sleep", "1000").withDiskMib(64);
    }

    private SandboxSnapshot take(String sandbox, String name) {
        return snapshots.take(sandbox, name, TestHost.soon());
    }

    private RunningSandbox restore(String name) {
        return snapshots.restore(name, ChildSpec.unnamed(), TestHost.soon());
    }

    private static void write(RunningSandbox sandbox, String path, String text) {
        sandbox.withFiles(files -> {
            try (OutputStream out = files.write(path, WriteOptions.REPLACE, TestHost.soon())) {
                out.write(text.getBytes(StandardCharsets.UTF_8));
                return path;
            } catch (IOException e) {
                throw new IllegalStateException(e);
            }
        });
    }

    private static String read(RunningSandbox sandbox, String path) {
        return sandbox.withFiles((GuestFiles files) -> {
            try (var in = files.read(path, 0, Long.MAX_VALUE, TestHost.soon())) {
                return new String(in.readAllBytes(), StandardCharsets.UTF_8);
            } catch (IOException e) {
                throw new IllegalStateException(e);
            }
        });
    }

    private void sweep() {
        assertThat(sandboxes.maintenance(MaintenanceLimits.defaults()).sweep().errors())
                .isZero();
    }

    private void assertNoSnapshotLeft() {
        assertThat(host.count("sandbox_snapshot")).isZero();
        assertThat(host.vms.snapshots()).isEmpty();
        long pins = host.here
                .catalog()
                .read(session -> session.first(
                        row -> row.getLong(1), "SELECT count(*) FROM image_pin WHERE holder_kind = 'snapshot'"))
                .orElseThrow();
        assertThat(pins).isZero();
        assertThat(root.resolve("state/sandbox-snapshots"))
                .satisfiesAnyOf(
                        files -> assertThat(files).doesNotExist(),
                        files -> assertThat(files).isEmptyDirectory());
    }

    @Test
    void aSandboxIsRestoredFromASnapshotOfItAndIsAnother() throws IOException {
        try (RunningSandbox parent = host.start(TestHost.ephemeral("parent", "sleep", "1000"))) {
            SandboxSnapshot taken = take("parent", "kept");
            assertThat(taken.contents()).isEqualTo(SandboxSnapshot.Contents.MEMORY);
            assertThat(taken.pause()).isPresent();
            assertThat(snapshots.list()).containsExactly(taken);
            assertThat(snapshots.get("kept").source()).isEqualTo("parent");
            assertThat(TestHost.output(TestHost.exec(parent, "hostname"))).isEqualTo("parent\n");
        }
        try (RunningSandbox child = restore("kept");
                RunningSandbox second = restore("kept")) {
            assertThat(child.timings().orElseThrow().kind()).isEqualTo(StartKind.RESTORED);
            assertThat(TestHost.output(TestHost.exec(child, "hostname"))).isEqualTo(child.name() + "\n");
            assertThat(TestHost.output(TestHost.exec(second, "hostname"))).isEqualTo(second.name() + "\n");
            snapshots.remove("kept");
            assertThat(TestHost.output(TestHost.exec(child, "echo", "still"))).isEqualTo("still\n");
        }
        assertThatThrownBy(() -> restore("kept")).isInstanceOf(SandboxException.NoSnapshot.class);
        assertNoSnapshotLeft();
        host.assertNothingLeft();
    }

    @Test
    void aForkGivesChildrenOfTheirOwnAndLeavesNoSnapshot() throws IOException {
        try (RunningSandbox parent = host.start(TestHost.ephemeral("parent", "sleep", "1000"))) {
            Forked<RunningSandbox> fork = snapshots.fork(
                    parent.id(),
                    List.of(ChildSpec.unnamed(), ChildSpec.unnamed().withName("second"), ChildSpec.unnamed()),
                    TestHost.soon());
            assertThat(fork.pause()).isPositive().isLessThan(fork.total());
            assertThat(fork.children()).extracting(RunningSandbox::name).doesNotHaveDuplicates();
            for (RunningSandbox child : fork.children()) {
                assertThat(TestHost.output(TestHost.exec(child, "hostname"))).isEqualTo(child.name() + "\n");
            }
            assertNoSnapshotLeft();
            // A child has children.
            RunningSandbox middle = fork.children().get(1);
            Forked<RunningSandbox> again = snapshots.fork(middle.id(), List.of(ChildSpec.unnamed()), TestHost.soon());
            again.children().forEach(RunningSandbox::close);
            fork.children().forEach(RunningSandbox::close);
            assertThat(TestHost.output(TestHost.exec(parent, "echo", "up"))).isEqualTo("up\n");
        }
        // One with a name stays.
        assertThat(host.row("second").orElseThrow().status()).isEqualTo(SandboxStatus.STOPPED);
        sandboxes.remove("second", false, TestHost.soon());
        host.assertNothingLeft();
    }

    @Test
    void whatAChildWritesToItsDiskIsItsOwnAndStaysWithIt() {
        try (RunningSandbox parent = host.start(withDisk("parent"))) {
            write(parent, "/shared", "before");
            RunningSandbox child = snapshots
                    .fork(parent.id(), List.of(ChildSpec.unnamed().withName("child")), TestHost.soon())
                    .children()
                    .getFirst();
            assertThat(read(child, "/shared")).isEqualTo("before");
            write(child, "/shared", "the child's");
            write(parent, "/shared", "the parent's");
            assertThat(read(child, "/shared")).isEqualTo("the child's");
            child.close();
        }
        sandboxes.start("child", PullListener.none(), TestHost.soon());
        try (RunningSandbox again = sandboxes.connect("child", TestHost.soon())) {
            assertThat(read(again, "/shared")).isEqualTo("the child's");
        }
    }

    @Test
    void ofAStoppedSandboxTheDiskIsKeptAndBootsAgain() {
        try (RunningSandbox parent = host.start(withDisk("parent"))) {
            write(parent, "/file", "kept");
        }
        SandboxSnapshot taken = take("parent", "disk");
        assertThat(taken.contents()).isEqualTo(SandboxSnapshot.Contents.DISK);
        assertThat(taken.pause()).isEmpty();
        sandboxes.remove("parent", false, TestHost.soon());
        try (RunningSandbox child = restore("disk")) {
            assertThat(child.timings().orElseThrow().kind()).isEqualTo(StartKind.COLD);
            assertThat(read(child, "/file")).isEqualTo("kept");
            write(child, "/file", "changed");
        }
        SandboxRecord detached =
                snapshots.restoreDetached("disk", ChildSpec.unnamed().withName("runs"), TestHost.soon());
        assertThat(detached.status()).isEqualTo(SandboxStatus.RUNNING);
        try (RunningSandbox child = sandboxes.connect("runs", TestHost.soon())) {
            assertThat(read(child, "/file")).isEqualTo("kept");
        }
        sandboxes.remove("runs", true, TestHost.soon());
        snapshots.remove("disk");
        assertNoSnapshotLeft();
        host.assertNothingLeft();
    }

    @Test
    void whatHasNothingToKeepOrIsNotReadyIsRefused() {
        try (RunningSandbox _ = host.start(TestHost.named("memory", "sleep", "1000"))) {
            sandboxes.pause("memory", TestHost.soon());
            assertThatThrownBy(() -> take("memory", "x"))
                    .isInstanceOf(SandboxException.NotRunning.class)
                    .extracting(e -> ((ClocheException) e).remedy())
                    .isEqualTo("Let it go on with: cloche resume memory");
            sandboxes.resume("memory", TestHost.soon());
            assertThatThrownBy(() -> take("memory", "not a name"))
                    .isInstanceOf(SandboxException.InvalidSpecification.class);
        }
        assertThatThrownBy(() -> take("memory", "x")).isInstanceOf(SandboxException.NothingToKeep.class);
        assertThatThrownBy(() -> snapshots.fork(
                        host.row("memory").orElseThrow().id(), List.of(ChildSpec.unnamed()), TestHost.soon()))
                .isInstanceOf(SandboxException.NotRunning.class);
        assertThatThrownBy(() -> take("nobody", "x")).isInstanceOf(SandboxException.NotFound.class);
        assertThatThrownBy(() -> snapshots.remove("nothing")).isInstanceOf(SandboxException.NoSnapshot.class);
        assertNoSnapshotLeft();
    }

    @Test
    void aNameIsTakenOnceAndFreeAgainAfterItsSnapshot() {
        try (RunningSandbox parent = host.start(TestHost.ephemeral("parent", "sleep", "1000"))) {
            var _ = take(parent.name(), "kept");
            assertThatThrownBy(() -> take("parent", "kept")).isInstanceOf(SandboxException.SnapshotExists.class);
            snapshots.remove("kept");
            assertThat(take("parent", "kept").name()).contains("kept");
            assertThatThrownBy(
                            () -> snapshots.restore("kept", ChildSpec.unnamed().withName("parent"), TestHost.soon()))
                    .isInstanceOf(SandboxException.NameInUse.class);
            PublishedPort port = PublishedPort.parse("80").getFirst();
            assertThatThrownBy(() ->
                            snapshots.restore("kept", ChildSpec.unnamed().withPorts(List.of(port)), TestHost.soon()))
                    .isInstanceOf(SandboxException.InvalidSpecification.class);
        }
    }

    @Test
    void aSnapshotHoldsItsImage() {
        try (RunningSandbox parent = host.start(TestHost.ephemeral("parent", "sleep", "1000"))) {
            var _ = take(parent.name(), "kept");
        }
        ImageReference image = ImageReference.parse("bare");
        assertThatThrownBy(() -> host.here.images().remove(image, false))
                .isInstanceOf(ImageInUse.class)
                .hasMessageContaining("snapshot kept");
        host.here.images().remove(image, true);
        try (RunningSandbox child = restore("kept")) {
            assertThat(child.name()).isNotEmpty();
        }
        snapshots.remove("kept");
        host.assertNothingLeft();
    }

    @Test
    void aDetachedSandboxThatNobodyOwnsIsForkedAndGoesOn() throws IOException {
        host.startDetached(TestHost.ephemeral("parent", "sleep", "1000"));
        Forked<SandboxRecord> fork = snapshots.forkDetached(
                host.row("parent").orElseThrow().id(), List.of(ChildSpec.unnamed()), TestHost.soon());
        String name = fork.children().getFirst().name();
        for (String each : List.of("parent", name)) {
            try (RunningSandbox sandbox = sandboxes.connect(each, TestHost.soon())) {
                assertThat(TestHost.output(TestHost.exec(sandbox, "hostname"))).isEqualTo(each + "\n");
            }
            sandboxes.remove(each, true, TestHost.soon());
        }
        host.assertNothingLeft();
    }

    @Test
    void aSandboxOfAnotherProcessIsRefused() {
        try (TestHost.Opened other = host.runtime()) {
            host.startDetached(TestHost.ephemeral("parent", "sleep", "1000"));
            try (OwnerLock _ = host.lock("parent")) {
                assertThatThrownBy(() -> other.sandboxes().snapshots().take("parent", "kept", TestHost.soon()))
                        .isInstanceOf(SandboxException.OwnedElsewhere.class);
            }
            assertThat(other.sandboxes()
                            .snapshots()
                            .take("parent", "kept", TestHost.soon())
                            .name())
                    .contains("kept");
            snapshots.remove("kept");
        }
        sandboxes.remove("parent", true, TestHost.soon());
        assertNoSnapshotLeft();
        host.assertNothingLeft();
    }

    @Test
    void aKeptSandboxIsForkedByItsKeeper() throws InterruptedException {
        sandboxes.keep();
        host.startDetached(TestHost.ephemeral("parent", "sleep", "1000"));
        assertThat(take("parent", "kept").pause()).isPresent();
        snapshots.remove("kept");
        sandboxes.remove("parent", true, TestHost.soon());
    }

    @Test
    void aFailedSnapshotLeavesNothingAndTheParentGoesOn() throws IOException {
        try (RunningSandbox parent = host.start(TestHost.ephemeral("parent", "sleep", "1000"))) {
            host.vms.faults.failSnapshots(1);
            assertThatThrownBy(() -> take("parent", "kept")).isInstanceOf(VmStorageException.class);
            assertNoSnapshotLeft();
            assertThat(TestHost.output(TestHost.exec(parent, "echo", "up"))).isEqualTo("up\n");
        }
        host.assertNothingLeft();
    }

    @Test
    void aForkOfWhichOneChildDoesNotComeUpLeavesNone() throws IOException {
        try (RunningSandbox parent = host.start(TestHost.ephemeral("parent", "sleep", "1000"))) {
            host.vms.faults.failRestores(1);
            assertThatThrownBy(() -> snapshots.fork(
                            parent.id(),
                            List.of(
                                    ChildSpec.unnamed().withName("a"),
                                    ChildSpec.unnamed().withName("b"),
                                    ChildSpec.unnamed().withName("c")),
                            TestHost.soon()))
                    .isInstanceOf(SnapshotMismatchException.class)
                    .hasMessageContaining("hostCpu");
            assertNoSnapshotLeft();
            assertThat(host.here.store().all()).extracting(SandboxRecord::name).containsExactly("parent");
            assertThat(TestHost.output(TestHost.exec(parent, "echo", "up"))).isEqualTo("up\n");
        }
        host.assertNothingLeft();
    }

    @Test
    void whatADeadProcessLeftOfASnapshotIsSweptWhateverItHadDone() {
        SnapshotStore rows = new SnapshotStore(host.here.catalog(), Clock.systemUTC());
        try (RunningSandbox parent = host.start(withDisk("parent"))) {
            SandboxRecord record = host.row("parent").orElseThrow();
            // Recorded, and nothing else.
            var _ = rows.insert(abandoned(record, Optional.of("first")), name -> {});
            // Held and taken, and not recorded as ready.
            long second = rows.insert(abandoned(record, Optional.of("second")), name -> {})
                    .orElseThrow()
                    .id();
            assertThat(host.here
                            .images()
                            .share(Foundations.holder(record.id(), "parent"), SnapshotGround.holder(second, "parent")))
                    .isTrue();
            Vm vm = parent.ownVm().orElseThrow();
            var _ = vm.snapshot(SnapshotGround.vmSnapshot(second), TestHost.soon());
            // Of a fork, ready.
            long third = rows.insert(abandoned(record, Optional.empty()), name -> {})
                    .orElseThrow()
                    .id();
            var _ = vm.snapshot(SnapshotGround.vmSnapshot(third), TestHost.soon());
            assertThat(rows.ready(third, Optional.of(Duration.ZERO))).isTrue();
            // Whole, with a name: stays.
            var _ = take("parent", "kept");
            // Going.
            long fourth = snapshots.take("parent", "going", TestHost.soon()).id();
            assertThat(rows.doom(fourth)).isTrue();

            assertThatThrownBy(() -> snapshots.get("second")).isInstanceOf(SandboxException.NoSnapshot.class);
            assertThatThrownBy(() -> restore("second")).isInstanceOf(SandboxException.NoSnapshot.class);
            sweep();
            assertThat(snapshots.list()).extracting(SandboxSnapshot::name).containsExactly(Optional.of("kept"));
            assertThat(host.vms.snapshots())
                    .extracting(taken -> taken.name())
                    .containsExactly(
                            new SnapshotName("sandbox-" + snapshots.get("kept").id()));
            snapshots.remove("kept");
            assertNoSnapshotLeft();
        }
    }

    @Test
    void aSnapshotInTheMakingOfALivingProcessIsNotSwept() {
        SnapshotStore rows = new SnapshotStore(host.here.catalog(), Clock.systemUTC());
        try (RunningSandbox parent = host.start(TestHost.ephemeral("parent", "sleep", "1000"))) {
            SandboxRecord record = host.row(parent.name()).orElseThrow();
            String files = rows.insert(abandoned(record, Optional.of("mine")), name -> {})
                    .orElseThrow()
                    .directory();
            Path all = root.resolve("state/sandbox-snapshots");
            try (OwnerLock _ = new SandboxDirectory(all, files).tryLock().orElseThrow()) {
                sweep();
                assertThat(host.count("sandbox_snapshot")).isEqualTo(1);
                assertThatThrownBy(() -> take("parent", "mine")).isInstanceOf(SandboxException.SnapshotExists.class);
            }
            // The name of a dead process's attempt is free.
            assertThat(take("parent", "mine").name()).contains("mine");
            snapshots.remove("mine");
        }
        assertNoSnapshotLeft();
    }

    private static SnapshotStore.NewSnapshot abandoned(SandboxRecord record, Optional<String> name) {
        return new SnapshotStore.NewSnapshot(
                name, SandboxSnapshot.Contents.MEMORY, record, NetworkSpec.none(), Optional.empty());
    }

    @Test
    void theTableOfTransitionsIsWhatTheRowsAllow() {
        SnapshotStore rows = new SnapshotStore(host.here.catalog(), Clock.systemUTC());
        try (RunningSandbox parent = host.start(TestHost.ephemeral("parent", "sleep", "1000"))) {
            SandboxRecord record = host.row(parent.name()).orElseThrow();
            long id = rows.insert(abandoned(record, Optional.of("x")), name -> {})
                    .orElseThrow()
                    .id();
            assertThat(SnapshotStatus.TAKING.successors())
                    .containsExactlyInAnyOrder(SnapshotStatus.READY, SnapshotStatus.REMOVING);
            assertThat(rows.ready(id, Optional.empty())).isTrue();
            assertThat(SnapshotStatus.READY.successors()).containsExactly(SnapshotStatus.REMOVING);
            assertThat(rows.ready(id, Optional.empty())).isFalse();
            assertThat(rows.doom(id)).isTrue();
            assertThat(SnapshotStatus.REMOVING.successors()).isEmpty();
            assertThat(rows.doom(id)).isFalse();
            assertThat(rows.ready(id, Optional.empty())).isFalse();
            rows.delete(id);
            assertThat(rows.byId(id)).isEmpty();
        }
    }
}
