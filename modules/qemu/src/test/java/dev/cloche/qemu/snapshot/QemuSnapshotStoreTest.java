package dev.cloche.qemu.snapshot;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cloche.linux.LockFile;
import dev.cloche.vm.SnapshotException;
import dev.cloche.vm.SnapshotName;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Several that publish, hold and delete snapshots of one name at once. */
class QemuSnapshotStoreTest {
    private static final SnapshotName NAME = new SnapshotName("one");
    private static final int ROUNDS = 300;

    @TempDir
    Path directory;

    private QemuSnapshotStore store;

    @BeforeEach
    void open() {
        store = new QemuSnapshotStore(directory.resolve("snapshots"));
    }

    /** What publishing it came to. */
    private boolean publish() throws Exception {
        try (QemuSnapshotStore.Draft draft = store.draft()) {
            draft.publish(NAME);
            return true;
        } catch (SnapshotException.Exists another) {
            return false;
        }
    }

    /** Whether this call deleted it; no other failure is fine than that it is gone. */
    private boolean delete() {
        try {
            return store.delete(NAME);
        } catch (SnapshotException.NotFound gone) {
            return false;
        }
    }

    private static List<Boolean> together(int parts, Callable<Boolean> part) throws Exception {
        CyclicBarrier barrier = new CyclicBarrier(parts);
        List<Boolean> results = new ArrayList<>();
        try (ExecutorService threads = Executors.newFixedThreadPool(parts)) {
            List<Future<Boolean>> all = new ArrayList<>();
            for (int i = 0; i < parts; i++) {
                all.add(threads.submit(() -> {
                    barrier.await();
                    return part.call();
                }));
            }
            for (Future<Boolean> one : all) {
                results.add(one.get());
            }
        }
        return results;
    }

    @Test
    void oneOfThoseThatPublishAtOnceDoesAndOneOfThoseThatDelete() throws Exception {
        for (int i = 0; i < ROUNDS; i++) {
            assertThat(together(3, this::publish)).containsOnlyOnce(true);
            assertThat(store.names()).containsExactly(NAME);
            assertThat(together(3, this::delete)).containsOnlyOnce(true);
            assertThat(store.names()).isEmpty();
        }
        try (var left = Files.list(directory.resolve("snapshots"))) {
            assertThat(left).isEmpty();
        }
    }

    @Test
    void whatIsHeldStaysAlsoWhereItsNameComesAndGoes() throws Exception {
        AtomicBoolean over = new AtomicBoolean();
        try (ExecutorService threads = Executors.newFixedThreadPool(3)) {
            List<Future<Integer>> deleters = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                deleters.add(threads.submit(() -> {
                    int deleted = 0;
                    while (!over.get() || deleted == 0) {
                        var _ = publish();
                        deleted += delete() ? 1 : 0;
                    }
                    return deleted;
                }));
            }
            try {
                for (int held = 0; held < ROUNDS; ) {
                    Optional<LockFile> hold = store.hold(NAME);
                    if (hold.isPresent()) {
                        try (LockFile lock = hold.get()) {
                            assertThat(lock.isOf(store.lock(NAME))).isTrue();
                            assertThat(store.directory(NAME)).isDirectory();
                        }
                        held++;
                    }
                }
            } finally {
                over.set(true);
            }
            for (Future<Integer> deleter : deleters) {
                assertThat(deleter.get()).isPositive();
            }
        }
    }
}
