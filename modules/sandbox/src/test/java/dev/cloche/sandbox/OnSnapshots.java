package dev.cloche.sandbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.cloche.sandbox.directory.SandboxDirectory;
import dev.cloche.sandbox.record.SnapshotStore;
import dev.cloche.vm.GuestFiles;
import dev.cloche.vm.WriteOptions;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.BeforeEach;

/** A test of snapshots of sandboxes, and of what is made of them. */
abstract class OnSnapshots extends OnTestHost {
    SandboxSnapshots snapshots;

    @BeforeEach
    void openSnapshots() {
        snapshots = sandboxes.snapshots();
    }

    static SandboxSpec withDisk(String name) {
        return TestHost.named(name, "sleep", "1000").withDiskMib(64);
    }

    SandboxSnapshot take(String sandbox, String name) {
        return snapshots.take(sandbox, name, TestHost.soon());
    }

    RunningSandbox restore(String name) {
        return snapshots.restore(name, ChildSpec.unnamed(), TestHost.soon());
    }

    static void write(RunningSandbox sandbox, String path, String text) {
        sandbox.withFiles(files -> {
            try (OutputStream out = files.write(path, WriteOptions.REPLACE, TestHost.soon())) {
                out.write(text.getBytes(StandardCharsets.UTF_8));
                return path;
            } catch (IOException e) {
                throw new IllegalStateException(e);
            }
        });
    }

    static String read(RunningSandbox sandbox, String path) {
        return sandbox.withFiles((GuestFiles files) -> {
            try (var in = files.read(path, 0, Long.MAX_VALUE, TestHost.soon())) {
                return new String(in.readAllBytes(), StandardCharsets.UTF_8);
            } catch (IOException e) {
                throw new IllegalStateException(e);
            }
        });
    }

    /** Returns what holds the files of a snapshot and its lock. */
    SandboxDirectory files(long snapshot) {
        String name = new SnapshotStore(host.here.catalog(), Clock.systemUTC())
                .directory(snapshot)
                .orElseThrow();
        return new SandboxDirectory(root.resolve("state/sandbox-snapshots"), name);
    }

    /** Returns when it waits for a lock of an owner, or is done. */
    static void startAndAwaitWaiting(FutureTask<?> work) {
        Thread thread = Thread.ofPlatform().start(work);
        await().until(() -> work.isDone()
                || Arrays.stream(thread.getStackTrace())
                        .anyMatch(frame -> frame.getMethodName().equals("awaitFree")));
    }

    void sweep() {
        assertThat(sandboxes
                        .maintenance(MaintenanceLimits.defaults().withBudget(Duration.ofSeconds(9)))
                        .sweep()
                        .errors())
                .isZero();
    }

    void assertNoSnapshotLeft() {
        assertThat(host.count("sandbox_snapshot")).isZero();
        assertThat(host.vms.snapshots()).isEmpty();
        long pins = host.here
                .catalog()
                .read(transaction -> transaction.first(
                        row -> row.getLong(1), "SELECT count(*) FROM image_pin WHERE holder_kind = 'snapshot'"))
                .orElseThrow();
        assertThat(pins).isZero();
        assertThat(root.resolve("state/sandbox-snapshots"))
                .satisfiesAnyOf(
                        files -> assertThat(files).doesNotExist(),
                        files -> assertThat(files).isEmptyDirectory());
    }
}
