package dev.cloche.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.cloche.base.Deadline;
import dev.cloche.base.FileStamp;
import java.io.ByteArrayInputStream;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RuntimeCacheTest {
    private static final Deadline NO_HURRY = Deadline.none();

    private final BuiltArtefact artefact = BuiltArtefact.small();

    @TempDir
    private Path directory;

    private Path cache() {
        return directory.resolve("cache").resolve("runtime");
    }

    private RuntimeCache runtime(Function<RuntimeIndex.Entry, InputStream> contents) {
        return new RuntimeCache(cache(), artefact.index(), contents);
    }

    private Path unpack() {
        return runtime(artefact.contents()).directory(NO_HURRY);
    }

    /** For a use that is to find all unpacked. */
    private static InputStream unwanted(RuntimeIndex.Entry entry) {
        throw new AssertionError(entry.path() + " is read again");
    }

    private void requireWhole(Path unpacked) throws IOException {
        for (RuntimeIndex.Entry entry : artefact.index().entries()) {
            Path file = entry.in(unpacked);
            assertThat(Files.readAllBytes(file)).as(entry.path()).isEqualTo(artefact.content(entry.path()));
            assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                    .as(entry.path())
                    .isEqualTo(entry.executable() ? "rwxr-xr-x" : "rw-r--r--");
        }
        assertThat(names(unpacked))
                .containsExactlyInAnyOrder(
                        ".lock", "cloche-guard", "initramfs", "kernel", "kernel/vmlinux", "unpacked");
    }

    private static List<String> names(Path directory) throws IOException {
        try (Stream<Path> all = Files.walk(directory)) {
            return all.skip(1)
                    .map(path -> directory.relativize(path).toString())
                    .toList();
        }
    }

    @Test
    void unpacksOnceAndReadsNothingAgain() throws IOException {
        Path unpacked = unpack();
        requireWhole(unpacked);
        assertThat(unpacked.getFileName()).hasToString(artefact.index().digest());
        FileStamp before = FileStamp.of(unpacked.resolve("kernel/vmlinux"));
        assertThat(runtime(RuntimeCacheTest::unwanted).directory(NO_HURRY)).isEqualTo(unpacked);
        assertThat(FileStamp.of(unpacked.resolve("kernel/vmlinux"))).isEqualTo(before);
    }

    @Test
    void writesAnewWhatWasChangedOrRemoved() throws IOException {
        Path unpacked = unpack();
        Files.writeString(unpacked.resolve("kernel/vmlinux"), "something else");
        Files.delete(unpacked.resolve("initramfs"));
        Files.setPosixFilePermissions(unpacked.resolve("cloche-guard"), PosixFilePermissions.fromString("rw-r--r--"));
        unpack();
        requireWhole(unpacked);
    }

    @Test
    void findsByDigestsWhatStampsDoNotShow() throws IOException {
        Path unpacked = unpack();
        Path kernel = unpacked.resolve("kernel/vmlinux");
        FileTime modified = Files.getLastModifiedTime(kernel);
        byte[] flipped = Files.readAllBytes(kernel);
        flipped[100] ^= 1;
        Files.write(kernel, flipped);
        Files.setLastModifiedTime(kernel, modified);
        // As if the disk had changed the byte: no stamp tells.
        StringBuilder stamps = new StringBuilder();
        for (RuntimeIndex.Entry entry : artefact.index().entries()) {
            stamps.append(FileStamp.of(entry.in(unpacked)).state())
                    .append(' ')
                    .append(entry.path())
                    .append('\n');
        }
        Files.writeString(unpacked.resolve("unpacked"), stamps);
        assertThat(runtime(RuntimeCacheTest::unwanted).directory(NO_HURRY)).isEqualTo(unpacked);
        assertThat(runtime(artefact.contents()).mend(NO_HURRY)).isTrue();
        requireWhole(unpacked);
        assertThat(runtime(RuntimeCacheTest::unwanted).mend(NO_HURRY)).isFalse();
    }

    @Test
    void goesOnWhereAProcessWasKilled() throws IOException {
        for (RuntimeIndex.Entry last : artefact.index().entries()) {
            assertThatExceptionOfType(UncheckedIOException.class)
                    .isThrownBy(() -> runtime(entry -> entry.equals(last)
                                    ? dying()
                                    : artefact.contents().apply(entry))
                            .directory(NO_HURRY));
            Path unpacked = cache().resolve(artefact.index().digest());
            assertThat(unpacked.resolve("unpacked")).doesNotExist();
            // A killed process removes nothing.
            Files.writeString(unpacked.resolve(".tmp-12-cloche-guard"), "half");
            Files.writeString(
                    Files.createDirectories(unpacked.resolve("kernel")).resolve(".tmp-7-vmlinux"), "half");
        }
        requireWhole(unpack());
    }

    private static InputStream dying() {
        throw new UncheckedIOException(new IOException("dies here"));
    }

    @Test
    void isUnpackedOnceByManyAtOnce() throws Exception {
        AtomicInteger reads = new AtomicInteger();
        List<Future<Path>> all = new ArrayList<>();
        try (ExecutorService executor = Executors.newFixedThreadPool(20)) {
            for (int i = 0; i < 20; i++) {
                all.add(executor.submit(() -> runtime(entry -> {
                            reads.incrementAndGet();
                            return artefact.contents().apply(entry);
                        })
                        .directory(NO_HURRY)));
            }
        }
        for (Future<Path> each : all) {
            requireWhole(each.get());
        }
        assertThat(reads).hasValue(artefact.index().entries().size());
    }

    @Test
    void refusesContentsThatAreNotThoseOfTheIndexAndLeavesNothing() {
        for (String wrong : List.of("short", "y".repeat(200_000), "x".repeat(200_001))) {
            assertThatExceptionOfType(RuntimeUnusable.Damaged.class)
                    .isThrownBy(() -> runtime(entry -> entry.path().equals("kernel/vmlinux")
                                    ? new ByteArrayInputStream(
                                            wrong.getBytes(java.nio.charset.StandardCharsets.US_ASCII))
                                    : artefact.contents().apply(entry))
                            .directory(NO_HURRY))
                    .withMessageContaining("kernel/vmlinux");
            assertThat(cache().resolve(artefact.index().digest()).resolve("kernel"))
                    .isEmptyDirectory();
        }
    }

    @Test
    void refusesDirectoriesThatOthersMayWrite() throws IOException {
        Files.createDirectories(cache());
        for (Path open : List.of(directory.resolve("cache"), cache())) {
            Files.setPosixFilePermissions(open, PosixFilePermissions.fromString("rwxrwxrwx"));
            assertThatExceptionOfType(RuntimeUnusable.Untrusted.class)
                    .isThrownBy(this::unpack)
                    .withMessageContaining("other users may write to " + open.toRealPath());
            Files.setPosixFilePermissions(open, PosixFilePermissions.fromString("rwxr-xr-x"));
        }
        requireWhole(unpack());
    }

    @Test
    void takesADirectoryWithTheStickyBitAboveIts() throws Exception {
        Path parent = Files.createDirectories(directory.resolve("cache"));
        run("chmod", "1777", parent.toString());
        requireWhole(unpack());
    }

    @Test
    void refusesDirectoriesOfOtherUsers() throws Exception {
        Assumptions.assumeTrue(isRoot(), "only root can give a directory away");
        Files.createDirectories(cache());
        run("chown", "4711", cache().toString());
        assertThatExceptionOfType(RuntimeUnusable.Untrusted.class)
                .isThrownBy(this::unpack)
                .withMessageContaining("belongs to user 4711");
    }

    @Test
    void saysThatItCannotBeWritten() throws IOException {
        Files.writeString(directory.resolve("cache"), "a file in its way");
        assertThatExceptionOfType(RuntimeUnusable.Storage.class)
                .isThrownBy(this::unpack)
                .withMessageContaining(cache().toString())
                .satisfies(failure -> assertThat(failure.remedy()).contains("cloche.runtime.dir"));
    }

    @Test
    void saysThatNoProgramCanRunThere() throws Exception {
        onTmpfs(
                "noexec",
                () -> assertThatExceptionOfType(RuntimeUnusable.NotExecutable.class)
                        .isThrownBy(this::unpack)
                        .withMessageContaining("noexec"));
    }

    @Test
    void saysThatItsDiskIsFullOrReadOnlyAndGoesOnWhenItIsNot() throws Exception {
        onTmpfs("size=128k", () -> {
            assertThatExceptionOfType(RuntimeUnusable.Storage.class).isThrownBy(this::unpack);
            Path unpacked = cache().resolve(artefact.index().digest());
            assertThat(unpacked.resolve("kernel")).isEmptyDirectory();
            run("mount", "-o", "remount,size=1m", directory.toString());
            requireWhole(unpack());
            run("mount", "-o", "remount,ro", directory.toString());
            assertThat(runtime(RuntimeCacheTest::unwanted).directory(NO_HURRY)).isEqualTo(unpacked);
            run("mount", "-o", "remount,rw", directory.toString());
        });
    }

    private interface Work {
        void run() throws Exception;
    }

    private void onTmpfs(String options, Work work) throws Exception {
        Assumptions.assumeTrue(isRoot(), "only root can mount a file system");
        run("mount", "-t", "tmpfs", "-o", "mode=700," + options, "none", directory.toString());
        try {
            work.run();
        } finally {
            run("umount", directory.toString());
        }
    }

    private static boolean isRoot() throws IOException {
        return Files.getAttribute(Path.of("/proc/self/stat"), "unix:uid").equals(0);
    }

    private static void run(String... command) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(command)
                .redirectInput(ProcessBuilder.Redirect.from(new File("/dev/null")))
                .redirectErrorStream(true)
                .start();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(said).isZero();
    }
}
