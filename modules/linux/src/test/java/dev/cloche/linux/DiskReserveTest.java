package dev.cloche.linux;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cloche.base.Deadline;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.concurrent.FutureTask;
import org.awaitility.Awaitility;
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
    void isMadeWholeForItsOwnerAloneAndLendsLongerSteps() throws IOException {
        reserve.refill(Deadline.none());
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(reserve.file())))
                .isEqualTo("rw-------");
        assertThat(reserve.size()).isEqualTo(WHOLE);
        try (DiskReserve.Loan loan = reserve.borrow()) {
            // There is room.
            assertThat(reserve.size()).isEqualTo(WHOLE);
            long lent = 0;
            for (int step : new int[] {256, 512, 1024, 1024}) {
                assertThat(loan.more()).isTrue();
                lent += step << 10;
                assertThat(reserve.size()).isEqualTo(WHOLE - lent);
            }
        }
        assertThat(reserve.size()).isEqualTo(WHOLE);
    }

    @Test
    void whereThereIsNoneNothingIsLentAndNoneIsMade() throws IOException {
        lendsNothing(reserve);
        assertThat(reserve.file()).doesNotExist();
        lendsNothing(DiskReserve.in(root.resolve("gone")));
        DiskReserve.in(root.resolve("gone")).refill(Deadline.none());
        Files.createFile(reserve.file());
        lendsNothing(reserve);
        assertThat(reserve.file()).isEmptyFile();
    }

    private static void lendsNothing(DiskReserve reserve) {
        try (DiskReserve.Loan loan = reserve.borrow()) {
            assertThat(loan.more()).isFalse();
        }
    }

    @Test
    void aLoanThatIsGivenBackAddsNothingToWhatASweepMadeWholeMeanwhile() throws IOException {
        reserve.refill(Deadline.none());
        try (DiskReserve.Loan loan = reserve.borrow()) {
            assertThat(loan.more()).isTrue();
            reserve.refill(Deadline.none());
        }
        assertThat(reserve.size()).isEqualTo(WHOLE);
    }

    @Test
    void isChangedUnderTheLockThatGuardsTakeToo() throws Exception {
        reserve.refill(Deadline.none());
        DiskReserve.Loan loan = reserve.borrow();
        assertThat(loan.more()).isTrue();
        long shortened = reserve.size();
        FutureTask<Boolean> waiting = new FutureTask<>(() -> reserve.borrow().more());
        try (LockFile _ = LockFile.tryLock(reserve.file()).orElseThrow()) {
            reserve.refill(Deadline.after(Duration.ofMillis(50)));
            assertThat(reserve.size()).isEqualTo(shortened);
            // The wait of a caller that is interrupted ends, and it has been lent nothing.
            Thread.ofVirtual().start(waiting).interrupt();
            assertThat(waiting.get()).isFalse();
            assertThat(reserve.size()).isEqualTo(shortened);
        }
        // A wait that was given up still takes the lock for an instant, and who gives back waits a second at most.
        Awaitility.await()
                .until(() -> Thread.getAllStackTraces().keySet().stream()
                        .noneMatch(thread -> thread.getName().equals("cloche-lock")));
        loan.close();
        assertThat(reserve.size()).isEqualTo(WHOLE);
        loan.close();
        assertThat(reserve.size()).isEqualTo(WHOLE);
    }

    @Test
    void ofManyAtOnceEachGetsAStepOfItsOwn() throws Exception {
        reserve.refill(Deadline.none());
        FutureTask<Boolean> first = new FutureTask<>(() -> reserve.borrow().more());
        FutureTask<Boolean> second = new FutureTask<>(() -> reserve.borrow().more());
        Thread.ofVirtual().start(first);
        Thread.ofVirtual().start(second);
        assertThat(first.get()).isTrue();
        assertThat(second.get()).isTrue();
        assertThat(reserve.size()).isEqualTo(WHOLE - (512 << 10));
    }
}
