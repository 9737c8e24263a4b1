package dev.cloche.linux;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cloche.base.Deadline;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The reserve on a disk with room; what it does for a full one is in the tests of the catalog. */
class DiskReserveTest {
    private static final long WHOLE = 16 << 20;

    @TempDir
    Path root;

    private DiskReserve reserve;

    @BeforeEach
    void open() {
        reserve = DiskReserve.in(root);
    }

    @Test
    void isMadeWholeForItsOwnerAloneAndGivesUpLongerSteps() throws IOException {
        reserve.refill(Deadline.none());
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(reserve.file())))
                .isEqualTo("rw-------");
        assertThat(reserve.size()).isEqualTo(WHOLE);
        assertThat(reserve.release(0)).isTrue();
        assertThat(reserve.size()).isEqualTo(WHOLE - (256 << 10));
        assertThat(reserve.release(5)).isTrue();
        assertThat(reserve.size()).isEqualTo(WHOLE - (256 << 10) - (1 << 20));
    }

    @Test
    void whereThereIsNoneNothingIsGivenUpAndNoneIsMade() throws IOException {
        assertThat(reserve.release(0)).isFalse();
        assertThat(reserve.file()).doesNotExist();
        assertThat(DiskReserve.in(root.resolve("gone")).release(0)).isFalse();
        DiskReserve.in(root.resolve("gone")).refill(Deadline.none());
        Files.createFile(reserve.file());
        assertThat(reserve.release(0)).isFalse();
    }

    @Test
    void isChangedUnderTheLockThatGuardsTakeToo() throws Exception {
        reserve.refill(Deadline.none());
        assertThat(reserve.release(0)).isTrue();
        long shortened = reserve.size();
        FutureTask<Boolean> waiting = new FutureTask<>(() -> reserve.release(0));
        try (LockFile _ = LockFile.tryLock(reserve.file()).orElseThrow()) {
            reserve.refill(Deadline.after(Duration.ofMillis(50)));
            assertThat(reserve.size()).isEqualTo(shortened);
            // The wait of a caller that is interrupted ends, and it has been given nothing.
            Thread.ofVirtual().start(waiting).interrupt();
            assertThat(waiting.get()).isFalse();
            assertThat(reserve.size()).isEqualTo(shortened);
        }
        reserve.refill(Deadline.none());
        assertThat(reserve.size()).isEqualTo(WHOLE);
    }

    @Test
    void ofManyAtOnceEachGetsAStepOfItsOwn() throws Exception {
        reserve.refill(Deadline.none());
        FutureTask<Boolean> first = new FutureTask<>(() -> reserve.release(0));
        FutureTask<Boolean> second = new FutureTask<>(() -> reserve.release(0));
        Thread.ofVirtual().start(first);
        Thread.ofVirtual().start(second);
        assertThat(first.get()).isTrue();
        assertThat(second.get()).isTrue();
        assertThat(reserve.size()).isEqualTo(WHOLE - (512 << 10));
    }
}
