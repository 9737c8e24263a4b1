package dev.cloche.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cloche.base.Deadline;
import dev.cloche.linux.LockFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RuntimeSweepTest {
    private static final Instant USED = Instant.parse("2026-01-01T00:00:00Z");
    private static final Instant SOON = USED.plus(RuntimeSweep.UNUSED).minusSeconds(1);
    private static final Instant LATE = USED.plus(RuntimeSweep.UNUSED).plusSeconds(1);

    @TempDir
    Path directory;

    private Path cache;
    private Path old;
    private Path first;
    private Path second;

    @BeforeEach
    void aRuntimeThatTwoStateRootsHaveUsed() throws IOException {
        cache = Files.createDirectory(directory.resolve("cache"));
        first = Files.createDirectories(directory.resolve("first"));
        second = Files.createDirectories(directory.resolve("second"));
        old = runtime("a".repeat(64));
        RuntimeUse.note(old, first, USED.minus(Duration.ofDays(50)));
        RuntimeUse.note(old, second, USED);
    }

    private Path runtime(String digest) throws IOException {
        Path runtime = Files.createDirectories(cache.resolve(digest));
        Files.createDirectory(runtime.resolve("kernel"));
        Files.writeString(runtime.resolve("kernel/vmlinux"), "kernel of " + digest);
        Files.writeString(runtime.resolve("initramfs"), "agent of " + digest);
        for (String name : new String[] {"unpacked", ".lock", ".used"}) {
            Files.setLastModifiedTime(Files.createFile(runtime.resolve(name)), FileTime.from(USED));
        }
        return runtime;
    }

    private void sweep(Instant now) {
        new RuntimeSweep(cache, now).run();
    }

    private void snapshot(Path stateRoot, String name, String record) throws IOException {
        Path snapshot = Files.createDirectories(stateRoot.resolve("snapshots").resolve(name));
        Files.writeString(snapshot.resolve("manifest.json"), record);
    }

    @Test
    void goes30DaysAfterItsLastUseByAnyStateRoot() {
        sweep(SOON);
        assertThat(old).exists();
        assertThat(new RuntimeSweep(cache, LATE).run()).containsExactly("a".repeat(64));
        assertThat(cache).isEmptyDirectory();
    }

    @Test
    void staysWhileAProcessHasIt() throws IOException {
        try (LockFile _ = LockFile.tryShared(old.resolve(".used")).orElseThrow()) {
            sweep(LATE);
            assertThat(old.resolve("initramfs")).exists();
        }
        try (LockFile _ = LockFile.tryLock(old.resolve(".lock")).orElseThrow()) {
            sweep(LATE);
            assertThat(old.resolve("initramfs")).exists();
        }
        sweep(LATE);
        assertThat(old).doesNotExist();
    }

    @Test
    void staysWhileAStateRootHasMemoryThatWasTakenOnIt() throws IOException {
        String kernel = Sha256.of(old.resolve("kernel/vmlinux"));
        Files.createDirectories(first.resolve("snapshots/.tmp-unfinished"));
        snapshot(first, "other", "{\"key.kernel\":\"" + "0".repeat(64) + "\"}");
        snapshot(first, "mine", "{\"key.kernel\":\"" + kernel + "\"}");
        sweep(LATE.plus(Duration.ofDays(1000)));
        assertThat(old).exists();
        Files.delete(first.resolve("snapshots/mine/manifest.json"));
        sweep(LATE);
        assertThat(old).doesNotExist();
    }

    @Test
    void aStateRootThatIsGoneCountsFor90DaysMore() throws IOException {
        Files.delete(second);
        sweep(LATE);
        assertThat(old).exists();
        sweep(LATE.plus(RuntimeSweep.ABSENT).minusSeconds(3));
        assertThat(old).exists();
        sweep(LATE.plus(RuntimeSweep.ABSENT));
        assertThat(old).doesNotExist();
    }

    @Test
    void theNextSweepRemovesWhatAKilledOneHasLeft() throws IOException {
        // A sweep is killed after the rename, with half of the files gone.
        Files.delete(old.resolve("initramfs"));
        Files.move(old, cache.resolve(".old-1"));
        Path used = runtime("b".repeat(64));
        RuntimeUse.note(used, first, LATE);
        sweep(LATE);
        assertThat(cache).isDirectoryNotContaining("glob:**.old-1");
        assertThat(used.resolve("initramfs")).exists();
    }

    @Test
    void whatIsNoRuntimeStays() throws IOException {
        Path other = Files.createDirectory(cache.resolve("something-else"));
        Path begun = Files.createDirectory(cache.resolve("c".repeat(64)));
        sweep(LATE.plus(Duration.ofDays(1000)));
        assertThat(other).exists();
        assertThat(begun).exists();
    }

    @Test
    void oneThatThisProcessHasUnpackedStaysAndIsUnpackedAnewIfItIsGone() throws IOException {
        BuiltArtefact artefact = BuiltArtefact.small();
        RuntimeCache runtimes = new RuntimeCache(cache, artefact.index(), artefact.contents());
        Path unpacked = runtimes.directory(Deadline.none());
        assertThat(RuntimeUse.hold(unpacked, Deadline.none())).isTrue();
        sweep(Instant.now().plus(Duration.ofDays(1000)));
        assertThat(unpacked.resolve("cloche-guard")).exists();
        Files.move(unpacked, directory.resolve("elsewhere"));
        assertThat(RuntimeUse.hold(unpacked, Deadline.none())).isFalse();
        assertThat(runtimes.directory(Deadline.none())).isEqualTo(unpacked);
        assertThat(RuntimeUse.hold(unpacked, Deadline.none())).isTrue();
        sweep(Instant.now().plus(Duration.ofDays(1000)));
        assertThat(unpacked.resolve("cloche-guard")).exists();
    }
}
