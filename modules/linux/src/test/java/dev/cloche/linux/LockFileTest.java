package dev.cloche.linux;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cloche.base.Deadline;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LockFileTest {
    @TempDir
    Path directory;

    private Path file;

    @BeforeEach
    void name() {
        file = directory.resolve("lock");
    }

    @Test
    void anExclusiveLockKeepsEverybodyOut() throws IOException {
        try (LockFile held = LockFile.tryLock(file).orElseThrow()) {
            assertThat(LockFile.tryLock(file)).isEmpty();
            assertThat(LockFile.tryShared(file)).isEmpty();
            assertThat(LockFile.isHeld(file)).isTrue();
            assertThat(held).isNotNull();
        }
        assertThat(LockFile.isHeld(file)).isFalse();
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                .isEqualTo("rw-------");
    }

    @Test
    void sharedLocksKeepOnlyExclusiveOnesOut() {
        try (LockFile one = LockFile.tryShared(file).orElseThrow();
                LockFile two = LockFile.tryShared(file).orElseThrow()) {
            assertThat(LockFile.tryLock(file)).isEmpty();
            assertThat(LockFile.isHeld(file)).isFalse();
            assertThat(one).isNotSameAs(two);
        }
        LockFile.tryLock(file).orElseThrow().close();
    }

    @Test
    void aFileThatIsMadeIsNotLockedAndOneThatIsThereStays() throws IOException {
        LockFile.make(file);
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                .isEqualTo("rw-------");
        Files.writeString(file, "noted");
        try (LockFile held = LockFile.tryLock(file).orElseThrow()) {
            LockFile.make(file);
            assertThat(LockFile.isHeld(file)).isTrue();
            assertThat(held).isNotNull();
        }
        assertThat(file).hasContent("noted");
        Path lost = directory.resolve("none/lock");
        assertThatThrownBy(() -> LockFile.make(lost)).isInstanceOf(SystemCallException.class);
    }

    @Test
    void aProbeMakesNoFile() {
        assertThat(LockFile.isHeld(file)).isFalse();
        assertThat(file).doesNotExist();
    }

    @Test
    void aLockOfAnotherProcessIsSeenAndEndsWithIt() throws Exception {
        Files.createFile(file);
        Process holder = new ProcessBuilder("flock", file.toString(), "sh", "-c", "echo held; exec cat")
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        try {
            assertThat(holder.inputReader().readLine()).isEqualTo("held");
            assertThat(LockFile.isHeld(file)).isTrue();
            assertThat(LockFile.tryLock(file)).isEmpty();
        } finally {
            holder.getOutputStream().close();
            holder.waitFor();
        }
        assertThat(LockFile.isHeld(file)).isFalse();
    }

    @Test
    void aChildDoesNotInheritALock() throws Exception {
        LockFile held = LockFile.tryLock(file).orElseThrow();
        Process child = new ProcessBuilder("cat")
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        try {
            held.close();
            assertThat(LockFile.isHeld(file)).isFalse();
        } finally {
            child.getOutputStream().close();
            child.waitFor();
        }
    }

    @Test
    void theErrorNumberIsThatOfTheFailedCall() {
        assertThatThrownBy(() -> LockFile.tryLock(directory.resolve("missing/lock")))
                .isInstanceOfSatisfying(
                        SystemCallException.class, e -> assertThat(e.errno()).isEqualTo(Errno.ENOENT));
    }

    @Test
    void anInterruptedCallIsRepeatedAndAFailedOneClosesItsDescriptor() {
        FaultyLibc libc = new FaultyLibc();
        libc.interruptions = 2;
        assertThat(LockFile.tryLock(libc, file, 2)).isPresent();
        assertThat(libc.closed).isEmpty();

        libc.flock = -Errno.ENOSPC;
        assertThatThrownBy(() -> LockFile.tryLock(libc, file, 2))
                .isInstanceOf(SystemCallException.class)
                .hasMessageContaining("no space left");
        assertThat(libc.closed).containsExactly(libc.open);
    }

    @Test
    void waitsForWhoHasTheLock() throws Exception {
        LockFile held = LockFile.tryLock(file).orElseThrow();
        FutureTask<Optional<LockFile>> wait = new FutureTask<>(() -> LockFile.lock(file, Deadline.none()));
        Thread.ofVirtual().start(wait);
        assertThat(LockFile.lock(file, Deadline.after(Duration.ofMillis(20)))).isEmpty();
        assertThat(wait.isDone()).isFalse();
        held.close();
        try (LockFile taken = wait.get().orElseThrow()) {
            assertThat(LockFile.isHeld(file)).isTrue();
            assertThat(taken).isNotNull();
        }
        // Nor does the wait that was given up keep the lock that it got in the end.
        LockFile.lock(file, Deadline.after(Duration.ofMinutes(5))).orElseThrow().close();
    }

    @Test
    void waitsThatAreGivenUpLeaveOneThreadAtMost() throws Exception {
        try (LockFile held = LockFile.tryLock(file).orElseThrow()) {
            for (int i = 0; i < 50; i++) {
                assertThat(LockFile.lock(file, Deadline.after(Duration.ofMillis(2))))
                        .isEmpty();
                LockFile.awaitFree(file, Deadline.after(Duration.ofMillis(2)));
            }
            assertThat(waiters()).isLessThanOrEqualTo(2);
            assertThat(held).isNotNull();
        }
        Awaitility.await().until(() -> waiters() == 0);
    }

    private static long waiters() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().equals("cloche-lock"))
                .count();
    }

    @Test
    void allThatWaitGetTheLockOneAfterAnother() throws Exception {
        LockFile held = LockFile.tryLock(file).orElseThrow();
        List<FutureTask<Boolean>> waits = new ArrayList<>();
        AtomicInteger holders = new AtomicInteger();
        for (int i = 0; i < 20; i++) {
            FutureTask<Boolean> wait = new FutureTask<>(() -> {
                try (LockFile mine = LockFile.lock(file, Deadline.none()).orElseThrow()) {
                    assertThat(holders.incrementAndGet()).isEqualTo(1);
                    holders.decrementAndGet();
                    return mine.isOf(file);
                }
            });
            waits.add(wait);
            Thread.ofVirtual().start(wait);
        }
        held.close();
        for (FutureTask<Boolean> wait : waits) {
            assertThat(wait.get()).isTrue();
        }
    }

    @Test
    void aNewFileOfTheSameNameIsAnotherLock() throws Exception {
        LockFile old = LockFile.tryLock(file).orElseThrow();
        assertThat(LockFile.lock(file, Deadline.after(Duration.ofMillis(20)))).isEmpty();
        Files.delete(file);
        LockFile successor = LockFile.tryLock(file).orElseThrow();
        FutureTask<Optional<LockFile>> wait = new FutureTask<>(() -> LockFile.lock(file, Deadline.none()));
        Thread.ofVirtual().start(wait);
        successor.close();
        try (LockFile taken = wait.get().orElseThrow()) {
            assertThat(taken.isOf(file)).isTrue();
        }
        old.close();
    }

    @Test
    void aLockIsFreeAtOnceAlsoWhereAChildHasACopyOfItsDescriptor() {
        FaultyLibc libc = new FaultyLibc();
        LockFile.tryLock(libc, file, 2).orElseThrow().close();
        assertThat(libc.operations).containsExactly(2 | 4, 8);
    }

    @Test
    void aWaitEndsWithAnInterrupt() throws Exception {
        try (LockFile held = LockFile.tryLock(file).orElseThrow()) {
            Thread.currentThread().interrupt();
            assertThatThrownBy(() -> LockFile.lock(file, Deadline.none())).isInstanceOf(InterruptedException.class);
            assertThat(held).isNotNull();
        }
        LockFile.lockShared(file, Deadline.after(Duration.ofMinutes(5)))
                .orElseThrow()
                .close();
    }

    @Test
    void whoOnlyWaitsForItsEndMakesNoFile() throws Exception {
        LockFile.awaitFree(file, Deadline.none());
        assertThat(file).doesNotExist();
        LockFile held = LockFile.tryLock(file).orElseThrow();
        LockFile.awaitFree(file, Deadline.after(Duration.ofMillis(20)));
        FutureTask<Boolean> wait = new FutureTask<>(() -> {
            LockFile.awaitFree(file, Deadline.none());
            return true;
        });
        Thread waiting = Thread.ofVirtual().start(wait);
        // It has the file open when it waits.
        Awaitility.await().until(() -> waiting.getState().name().endsWith("WAITING") || wait.isDone());
        Files.delete(file);
        assertThat(wait.isDone()).isFalse();
        held.close();
        assertThat(wait.get()).isTrue();
        assertThat(file).doesNotExist();
    }

    @Test
    void tellsALockWhoseFileHasLostItsName() throws IOException {
        try (LockFile held = LockFile.tryLock(file).orElseThrow()) {
            assertThat(held.isOf(file)).isTrue();
            Files.delete(file);
            assertThat(held.isOf(file)).isFalse();
            Files.createFile(file);
            assertThat(held.isOf(file)).isFalse();
        }
    }
}
