package dev.cloche.sandbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cloche.image.PullListener;
import dev.cloche.sandbox.directory.OwnerLock;
import dev.cloche.vm.SnapshotException;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Sandboxes are forked: what their children have, and which processes may do it. */
class SandboxForkTest extends OnSnapshots {
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
    void childrenThatComeUpStayWhereAnotherDoesNot() throws IOException {
        try (RunningSandbox parent = host.start(TestHost.ephemeral("parent", "sleep", "1000"));
                RunningSandbox _ = host.start(TestHost.ephemeral("taken", "sleep", "1000"))) {
            Forked<ForkOutcome<RunningSandbox>> fork = snapshots.forkEach(
                    parent.id(),
                    List.of(
                            ChildSpec.unnamed().withName("first").withEphemeral(true),
                            ChildSpec.unnamed().withName("taken"),
                            ChildSpec.unnamed()),
                    TestHost.soon());
            assertThat(fork.pause()).isPositive();
            assertThat(fork.children().get(1).failed())
                    .hasValueSatisfying(failed -> assertThat(failed.code()).isEqualTo("sandbox.name-in-use"));
            List<RunningSandbox> up = fork.children().stream()
                    .flatMap(outcome -> outcome.started().stream())
                    .toList();
            assertThat(up).hasSize(2).first().extracting(RunningSandbox::name).isEqualTo("first");
            for (RunningSandbox child : up) {
                assertThat(TestHost.output(TestHost.exec(child, "hostname"))).isEqualTo(child.name() + "\n");
            }
            assertNoSnapshotLeft();
            up.forEach(RunningSandbox::close);
            assertThat(TestHost.output(TestHost.exec(parent, "echo", "up"))).isEqualTo("up\n");
        }
        host.assertNothingLeft();
    }

    @Test
    void aParentThatDoesNotRunIsAFailureOfTheWholeFork() {
        long id;
        try (RunningSandbox parent = host.start(withDisk("parent"))) {
            id = parent.id();
        }
        assertThatThrownBy(() -> snapshots.forkEach(id, List.of(ChildSpec.unnamed()), TestHost.soon()))
                .isInstanceOf(SandboxException.NotRunning.class);
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
    void aDetachedSandboxWithoutAnOwnerIsForkedAndGoesOn() throws IOException {
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
                    .isInstanceOf(SnapshotException.Mismatch.class)
                    .hasMessageContaining("hostCpu");
            assertNoSnapshotLeft();
            assertThat(host.here.store().list(SandboxFilter.all()))
                    .extracting(SandboxRecord::name)
                    .containsExactly("parent");
            assertThat(TestHost.output(TestHost.exec(parent, "echo", "up"))).isEqualTo("up\n");
        }
        host.assertNothingLeft();
    }
}
