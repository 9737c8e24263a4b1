package dev.cloche.sandbox;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cloche.linux.LockFile;
import dev.cloche.sandbox.lifecycle.CleanupOutcome;
import dev.cloche.sandbox.lifecycle.SandboxCleanup;
import dev.cloche.vm.RootDisk;
import dev.cloche.vm.Vm;
import dev.cloche.vm.VmId;
import dev.cloche.vm.VmSpec;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class SandboxCleanupTest extends OnTestHost {
    private SandboxCleanup cleanup;

    @BeforeEach
    void open() {
        cleanup = new SandboxCleanup(sandboxes.context);
    }

    @Test
    void removesAllThatBelongsToIt() throws IOException {
        long id = ended("a", true);
        Path directory = files("a");
        assertThat(cleanup.clean(id)).isEqualTo(CleanupOutcome.REMOVED);
        assertThat(directory).doesNotExist();
        host.assertNothingLeft();
        assertThat(cleanup.clean(id)).isEqualTo(CleanupOutcome.ALREADY_GONE);
    }

    @Test
    void aDirectoryThatIsMissingAlreadyIsNoFailure() {
        long id = ended("a", true);
        host.directory("a").remove();
        assertThat(cleanup.clean(id)).isEqualTo(CleanupOutcome.REMOVED);
        host.assertNothingLeft();
    }

    @Test
    void aPersistentSandboxStays() throws IOException {
        long id = ended("a", false);
        Path directory = files("a");
        assertThat(cleanup.clean(id)).isEqualTo(CleanupOutcome.SKIPPED_PERSISTENT);
        assertThat(directory).isDirectory();
        assertThat(host.row("a")).isPresent();
    }

    @Test
    void whatHasNotEndedStays() {
        host.abandoned(TestHost.ephemeral("a"), true);
        assertThat(cleanup.clean(host.id("a"))).isEqualTo(CleanupOutcome.SKIPPED_ACTIVE);
    }

    @Test
    void whatALivingProcessHasInHandStays() throws IOException {
        long id = ended("a", true);
        Path directory = files("a");
        try (LockFile _ = LockFile.tryLock(directory.resolve("owner.lock")).orElseThrow()) {
            assertThat(cleanup.clean(id)).isEqualTo(CleanupOutcome.SKIPPED_LIVE_PID);
            assertThat(directory.resolve("sub/file")).exists();
        }
        assertThat(cleanup.clean(id)).isEqualTo(CleanupOutcome.REMOVED);
    }

    @Test
    void aRunThatIsNotRecordedAsEndedAndLivesKeepsItsSandbox() {
        VmId vm = host.abandoned(TestHost.ephemeral("a"), true);
        host.sql("UPDATE sandbox SET status = 'STOPPED'");
        assertThat(cleanup.clean(host.id("a"))).isEqualTo(CleanupOutcome.SKIPPED_LIVE_PID);
        host.vms.memory.crash(vm);
        assertThat(cleanup.clean(host.id("a"))).isEqualTo(CleanupOutcome.REMOVED);
    }

    @Test
    void aVmThatAProcessOwnsKeepsItsSandbox() {
        VmId vm = host.abandonedStart(TestHost.ephemeral("a"), true);
        long id = host.id("a");
        host.here.store().end(id, Termination.vanished());
        try (Vm _ = host.vms.memory.create(VmSpec.of(vm, RootDisk.raw(Path.of("/none"))))) {
            assertThat(cleanup.clean(id)).isEqualTo(CleanupOutcome.SKIPPED_LIVE_PID);
        }
        assertThat(cleanup.clean(id)).isEqualTo(CleanupOutcome.REMOVED);
    }

    @Test
    void anEndThatWasRecordedAndNotCarriedOutIsCarriedOut() {
        host.abandoned(TestHost.ephemeral("a"), true);
        long id = host.id("a");
        host.here.store().end(id, Termination.closed());
        assertThat(cleanup.clean(id)).isEqualTo(CleanupOutcome.REMOVED);
        host.assertNothingLeft();
    }

    @Test
    void whatResistsStaysRecordedAndIsTriedAgain() {
        long id = ended("a", true);
        host.vms.beforeNext(ScriptedVms.Step.DESTROY, vm -> {
            throw new SandboxException.NotFound("resists");
        });
        assertThat(cleanup.clean(id)).isEqualTo(CleanupOutcome.DIR_REMOVE_FAILED);
        assertThat(host.row("a")).isPresent();
        assertThat(cleanup.clean(id)).isEqualTo(CleanupOutcome.REMOVED);
    }

    @Test
    void linksInItsDirectoryAreRemovedAndNotFollowed() throws IOException {
        long id = ended("a", true);
        Path directory = files("a");
        Path precious = Files.createDirectory(root.resolve("precious"));
        Files.writeString(precious.resolve("file"), "mine");
        Files.createSymbolicLink(directory.resolve("out"), precious);
        Files.createSymbolicLink(directory.resolve("sub/up"), Path.of("../.."));
        assertThat(cleanup.clean(id)).isEqualTo(CleanupOutcome.REMOVED);
        assertThat(directory).doesNotExist();
        assertThat(precious.resolve("file")).hasContent("mine");
    }

    /** A person with a shell, who minds no lock, is as bad as it gets. */
    @Test
    void aNameThatIsDeletedAndCreatedAgainMeanwhileIsNotConfusedWithItsPredecessor() throws IOException {
        long old = ended("a", true);
        files("a");
        List<Path> fresh = new ArrayList<>();
        host.vms.beforeNext(ScriptedVms.Step.DESTROY, vm -> {
            host.sql("DELETE FROM sandbox WHERE id = " + old);
            host.abandoned(TestHost.ephemeral("a"), true);
            fresh.add(files("a"));
        });
        assertThat(cleanup.clean(old)).isEqualTo(CleanupOutcome.ALREADY_CLAIMED);
        assertThat(host.id("a")).isNotEqualTo(old);
        assertThat(fresh.getFirst().resolve("sub/file")).exists();
        assertThat(host.vms.memory.get(host.vm("a")).orElseThrow().state().live())
                .isTrue();
        assertThat(cleanup.clean(old)).isEqualTo(CleanupOutcome.ALREADY_GONE);
        assertThat(host.row("a").orElseThrow().status()).isEqualTo(SandboxStatus.RUNNING);
    }

    @Test
    void ofManyWhoTryAtOnceExactlyOneIsToldThatItDid() throws Exception {
        try (TestHost.Opened other = host.runtime();
                ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            SandboxCleanup theirs = new SandboxCleanup(other.sandboxes().context);
            for (int round = 0; round < 30; round++) {
                long id = ended("a", true);
                files("a");
                List<Callable<CleanupOutcome>> cleaners = Stream.of(cleanup, theirs, cleanup, theirs)
                        .<Callable<CleanupOutcome>>map(each -> () -> each.clean(id))
                        .toList();
                List<CleanupOutcome> outcomes = new ArrayList<>();
                for (Future<CleanupOutcome> cleaner : threads.invokeAll(cleaners)) {
                    outcomes.add(cleaner.get());
                }
                assertThat(outcomes)
                        .containsOnlyOnce(CleanupOutcome.REMOVED)
                        .isSubsetOf(
                                CleanupOutcome.REMOVED,
                                CleanupOutcome.SKIPPED_LIVE_PID,
                                CleanupOutcome.ALREADY_CLAIMED,
                                CleanupOutcome.ALREADY_GONE);
                host.assertNothingLeft();
                assertThat(root.resolve("state/sandboxes")).isEmptyDirectory();
            }
        }
    }

    private long ended(String name, boolean ephemeral) {
        VmId vm = host.abandoned(ephemeral ? TestHost.ephemeral(name) : TestHost.named(name), true);
        host.vms.memory.crash(vm);
        long id = host.id(name);
        host.here.store().end(id, Termination.vanished());
        return id;
    }

    /** Files in the directory of a sandbox. */
    private Path files(String name) {
        try {
            Path directory = root.resolve("state/sandboxes")
                    .resolve(host.row(name).orElseThrow().directory());
            Files.createDirectories(directory.resolve("sub"));
            Files.writeString(directory.resolve("sub/file"), "x");
            return directory;
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }
}
