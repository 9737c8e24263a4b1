package dev.cloche.sandbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cloche.base.ClocheException;
import dev.cloche.image.ImageInUse;
import dev.cloche.image.ImageReference;
import dev.cloche.sandbox.directory.OwnerLock;
import dev.cloche.sandbox.directory.SandboxDirectory;
import dev.cloche.vm.PublishedPort;
import dev.cloche.vm.VmException;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Snapshots, restores and forks of sandboxes, on VMs in memory. */
class SandboxSnapshotsTest extends OnSnapshots {
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
                    .isEqualTo("Let it go on with: cloche.sandboxes().resume(\"memory\")");
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
            PublishedPort port = PublishedPort.parse("80/udp").getFirst();
            assertThatThrownBy(() ->
                            snapshots.restore("kept", ChildSpec.unnamed().withPorts(List.of(port)), TestHost.soon()))
                    .isInstanceOf(VmException.Invalid.class);
        }
    }

    @Test
    void aTemplateTakesThePlaceOfTheEarlierOneButNotOfASnapshot() throws IOException {
        Template.Recipe recipe = Template.Recipe.empty()
                .with(Template.Recipe.Kind.COPY, List.of("/from", "/to"))
                .with(Template.Recipe.Kind.RUN, List.of("sh", "-c", "echo \"a b\""))
                .with(Template.Recipe.Kind.READY_HTTP, List.of("8000", "/health?deep=1"))
                .with(Template.Recipe.Kind.ON_CLONE, List.of("seed"));
        try (RunningSandbox parent = host.start(TestHost.ephemeral("parent", "sleep", "1000"))) {
            var _ = take("parent", "snapshot");
            assertThatThrownBy(() -> publish(parent, "snapshot", recipe))
                    .isInstanceOf(SandboxException.SnapshotExists.class);

            SandboxSnapshot first = publish(parent, "template", Template.Recipe.empty());
            assertThat(first.prepared()).isTrue();
            assertThat(snapshots.recipe(first)).contains(Template.Recipe.empty());
            assertThat(snapshots.recipe(snapshots.get("snapshot"))).isEmpty();
            try (RunningSandbox child = restore("template")) {
                SandboxSnapshot second = publish(parent, "template", recipe);
                assertThat(second.id()).isNotEqualTo(first.id());
                assertThat(snapshots.get("template")).isEqualTo(second);
                assertThat(snapshots.recipe(second)).contains(recipe);
                assertThat(host.count("sandbox_snapshot"))
                        .as("the first is gone")
                        .isEqualTo(2);
                assertThat(TestHost.output(TestHost.exec(child, "echo", "still")))
                        .isEqualTo("still\n");
            }
            assertThatThrownBy(() -> take("parent", "template")).isInstanceOf(SandboxException.SnapshotExists.class);
        }
        snapshots.remove("snapshot");
        snapshots.remove("template");
        assertThat(host.count("snapshot_recipe_word")).isZero();
        assertNoSnapshotLeft();
    }

    private SandboxSnapshot publish(RunningSandbox parent, String name, Template.Recipe recipe) {
        return snapshots.publish(parent.id(), name, recipe, TestHost.soon());
    }

    @Test
    void aRecipeThatCannotBeIsRefused() {
        Template.Recipe started = Template.Recipe.empty().with(Template.Recipe.Kind.START, List.of("server"));
        assertThatThrownBy(() -> started.with(Template.Recipe.Kind.START, List.of("another")))
                .isInstanceOf(SandboxException.InvalidSpecification.class);
        assertThatThrownBy(() -> started.with(Template.Recipe.Kind.RUN, List.of()))
                .isInstanceOf(SandboxException.InvalidSpecification.class);
        for (String port : List.of("0", "65536", "-1", "99999999999", "http")) {
            assertThatThrownBy(() -> started.with(Template.Recipe.Kind.READY_PORT, List.of(port)))
                    .as(port)
                    .isInstanceOf(SandboxException.InvalidSpecification.class);
            assertThatThrownBy(() -> started.with(Template.Recipe.Kind.READY_HTTP, List.of(port, "/health")))
                    .as(port)
                    .isInstanceOf(SandboxException.InvalidSpecification.class);
        }
        for (String path : List.of("", "health", "/a b", "/\u00e4")) {
            assertThatThrownBy(() -> started.with(Template.Recipe.Kind.READY_HTTP, List.of("80", path)))
                    .as(path)
                    .isInstanceOf(SandboxException.InvalidSpecification.class);
        }
        assertThat(started.with(Template.Recipe.Kind.READY_PORT, List.of("65535"))
                        .hasCode())
                .isFalse();
        assertThat(started.with(Template.Recipe.Kind.CODE, List.of("1")).hasCode())
                .isTrue();
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
    void aFailedSnapshotLeavesNothingAndTheParentGoesOn() throws IOException {
        try (RunningSandbox parent = host.start(TestHost.ephemeral("parent", "sleep", "1000"))) {
            host.vms.faults.failSnapshots(1);
            assertThatThrownBy(() -> take("parent", "kept")).isInstanceOf(VmException.Storage.class);
            assertNoSnapshotLeft();
            assertThat(TestHost.output(TestHost.exec(parent, "echo", "up"))).isEqualTo("up\n");
        }
        host.assertNothingLeft();
    }

    /** Its lock is let go of after its row says that it is ready. */
    @Test
    void aRemovalWaitsForWhatHasJustTakenTheSnapshot() throws Exception {
        try (RunningSandbox _ = host.start(TestHost.ephemeral("parent", "sleep", "1000"))) {
            SandboxDirectory files = files(take("parent", "kept").id());
            FutureTask<Boolean> first = new FutureTask<>(() -> snapshots.remove("kept"), true);
            FutureTask<Boolean> second = new FutureTask<>(() -> snapshots.remove("kept"), true);
            try (OwnerLock _ = files.tryLock().orElseThrow()) {
                startAndAwaitWaiting(first);
                startAndAwaitWaiting(second);
            }
            assertThat(Stream.of(first, second).filter(SandboxSnapshotsTest::hasRemoved))
                    .hasSize(1);
        }
        assertNoSnapshotLeft();
    }

    /** The other has waited for the one that did. */
    private static boolean hasRemoved(FutureTask<Boolean> removal) {
        try {
            return removal.get();
        } catch (InterruptedException | ExecutionException failed) {
            assertThat(failed).hasCauseInstanceOf(SandboxException.NoSnapshot.class);
            return false;
        }
    }
}
