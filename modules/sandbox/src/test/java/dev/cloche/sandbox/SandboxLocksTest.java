package dev.cloche.sandbox;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cloche.base.Deadline;
import dev.cloche.sandbox.directory.EndHold;
import dev.cloche.sandbox.directory.OwnerLock;
import dev.cloche.sandbox.directory.SandboxDirectory;
import dev.cloche.sandbox.directory.SandboxLocks;
import dev.cloche.sandbox.directory.SandboxLocks.Claim;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Holds which process may have a sandbox in hand, also while another removes it and its name comes back. */
class SandboxLocksTest extends OnTestHost {
    private SandboxLocks locks;
    private SandboxRecord ended;

    @BeforeEach
    void open() {
        host.start(TestHost.named("a")).close();
        ended = host.row("a").orElseThrow();
        locks = SandboxLocks.in(root.resolve("state"), host.here.store());
    }

    @Test
    void oneHasItAtATime() throws Exception {
        Claim.Taken first = (Claim.Taken) locks.claim(ended);
        assertThat(first.record().status()).isEqualTo(SandboxStatus.STOPPED);
        assertThat(locks.claim(ended)).isEqualTo(new Claim.Held());
        assertThat(locks.claim(ended, Deadline.after(Duration.ofMillis(10)))).isEqualTo(new Claim.Held());
        first.lock().close();
        // The wait that was given up has it for an instant when it comes free.
        ((Claim.Taken) locks.claim(ended, TestHost.soon())).lock().close();
    }

    @Test
    void readsTheRowOnceNoOtherProcessCanChangeIt() {
        host.here.store().doom(ended.id());
        Claim.Taken taken = (Claim.Taken) locks.claim(ended);
        assertThat(ended.ephemeral()).isFalse();
        assertThat(taken.record().ephemeral()).isTrue();
        taken.lock().close();
    }

    @Test
    void whatIsGoneHasNoDirectoryAfterwardsAlsoIfItsNameIsBack() {
        sandboxes.remove("a", false, TestHost.soon());
        try (RunningSandbox successor = host.start(TestHost.named("a"))) {
            assertThat(locks.claim(ended)).isEqualTo(new Claim.Gone());
            assertThat(locks.directory(ended).path()).doesNotExist();
            assertThat(host.directory("a").isHeld()).isTrue();
            assertThat(successor.name()).isEqualTo("a");
        }
    }

    /** A process that ends a sandbox notes so in its directory, also when another is just removing that. */
    @Test
    void aFileThatComesTooLateKeepsNoDirectory() throws Exception {
        sandboxes.remove("a", false, TestHost.soon());
        SandboxDirectory directory = locks.directory(ended);
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            for (int i = 0; i < 300; i++) {
                try (OwnerLock _ = directory.tryLock().orElseThrow()) {
                    CyclicBarrier both = new CyclicBarrier(2);
                    Future<?> late = threads.submit(() -> {
                        both.await();
                        EndHold.take(directory).close();
                        return directory;
                    });
                    both.await();
                    directory.remove();
                    late.get();
                }
                assertThat(directory.path()).doesNotExist();
            }
        }
    }

    @Test
    void aLockThatLostItsNameExcludesNoProcess() {
        SandboxDirectory directory = locks.directory(ended);
        try (OwnerLock remover = directory.tryLock().orElseThrow();
                OwnerLock next = afterRemoval(directory)) {
            assertThat(remover.directory()).isSameAs(directory);
            assertThat(next.directory()).isSameAs(directory);
        }
    }

    @Test
    void aDirectoryThatIsRemovedWhileItIsLockedIsMadeAnew() throws Exception {
        sandboxes.remove("a", false, TestHost.soon());
        SandboxDirectory directory = locks.directory(ended);
        AtomicInteger taken = new AtomicInteger();
        try (ExecutorService threads = Executors.newFixedThreadPool(8)) {
            List<Future<?>> removers = IntStream.range(0, 8)
                    .<Future<?>>mapToObj(_ -> threads.submit(() -> {
                        for (int i = 0; i < 2_000; i++) {
                            directory.tryLock().ifPresent(lock -> {
                                directory.remove();
                                lock.close();
                                taken.incrementAndGet();
                            });
                        }
                    }))
                    .toList();
            for (Future<?> remover : removers) {
                remover.get();
            }
        }
        assertThat(taken.get()).isPositive();
        assertThat(directory.path()).doesNotExist();
    }

    private static OwnerLock afterRemoval(SandboxDirectory directory) {
        directory.remove();
        return directory.tryLock().orElseThrow();
    }

    @Test
    void removalFollowsNoLinkOut() throws Exception {
        Path outside = Files.writeString(root.resolve("outside"), "precious");
        Path tree = Files.createDirectory(root.resolve("tree"));
        Files.writeString(tree.resolve("file"), "precious");
        SandboxDirectory directory = locks.directory(ended);
        Files.createSymbolicLink(directory.path().resolve("file"), outside);
        Files.createSymbolicLink(directory.path().resolve("tree"), tree);
        directory.remove();
        directory.remove();
        assertThat(directory.path()).doesNotExist();
        assertThat(outside).hasContent("precious");
        assertThat(tree.resolve("file")).hasContent("precious");
        Files.createDirectory(directory.path());
    }

    @Test
    void whatIsToGoIsNotStarted() {
        host.here.store().doom(ended.id());
        Path disk = locks.directory(ended).path();
        assertThat(sandboxes.list()).isEmpty();
        assertThat(disk).doesNotExist();
        host.assertNothingLeft();
    }
}
