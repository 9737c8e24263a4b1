package dev.cloche.qemu.snapshot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cloche.base.DurableFiles;
import dev.cloche.qemu.SnapshotCheck;
import dev.cloche.vm.RootDisk;
import dev.cloche.vm.SnapshotName;
import dev.cloche.vm.SnapshotRef;
import dev.cloche.vm.WritableLayer;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SnapshotMemoryTest {
    private static final long SIZE = 64L << 20;

    @TempDir
    Path directory;

    private Path file;
    private SnapshotMemory memory;
    private SnapshotManifest manifest;

    @BeforeEach
    void seal() throws IOException {
        file = directory.resolve("memory");
        DurableFiles.create(file).close();
        write(file, 0, "kernel");
        write(file, SIZE - 4, "last");
        memory = new SnapshotMemory(directory);
        manifest = manifest(Optional.of(memory.seal()));
    }

    @Test
    void aMemoryThatWasNotTouchedIsNotReadAgain() throws IOException {
        MemoryDigest ofAnother = new MemoryDigest("0".repeat(64), "1:2:3:4");
        assertThatCode(() -> memory.require(manifest(Optional.of(ofAnother))))
                .as("reading it would show that the digest is wrong")
                .doesNotThrowAnyException();
        assertThatThrownBy(() -> memory.read(manifest(Optional.of(ofAnother))))
                .isInstanceOf(IOException.class)
                .hasMessage("its memory is not what was written; the file was changed since");
        memory.read(manifest);
    }

    @Test
    void whatIsWrittenThroughASharedMappingIsFound() throws IOException {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            MappedByteBuffer mapped = channel.map(FileChannel.MapMode.READ_WRITE, 4096, 4096);
            memory.require(manifest);
            mapped.put(17, (byte) 1);
            assertThatThrownBy(() -> memory.require(manifest))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("not what was written");
            // As before, and the page is still writable through the mapping that wrote to it: what is read now says
            // nothing
            // of later.
            mapped.put(17, (byte) 0);
            memory.require(manifest);
            mapped.put(17, (byte) 1);
            assertThatThrownBy(() -> memory.require(manifest)).isInstanceOf(IOException.class);
        }
    }

    @Test
    void timesThatAreSetBackHideNothing() throws IOException {
        FileTime before = Files.getLastModifiedTime(file);
        write(file, 8, "evil");
        Files.setLastModifiedTime(file, before);
        assertThatThrownBy(() -> memory.require(manifest)).isInstanceOf(IOException.class);
    }

    @Test
    void aCopyIsReadOnceAndThenTrusted() throws IOException {
        Path other = Files.createDirectory(directory.resolve("copy"));
        Files.copy(file, other.resolve("memory"));
        Files.copy(directory.resolve(SnapshotMemory.CHECKED), other.resolve(SnapshotMemory.CHECKED));
        SnapshotMemory copy = new SnapshotMemory(other);
        copy.require(manifest);
        // Too fresh to be remembered: the kernel's stamps are not finer than its tick.
        assertThat(other.resolve(SnapshotMemory.CHECKED))
                .hasSameBinaryContentAs(directory.resolve(SnapshotMemory.CHECKED));
        assertThat(SparseDigest.of(other.resolve("memory")))
                .as("without its holes")
                .isEqualTo(manifest.seal().orElseThrow().digest());
    }

    @Test
    void inAnotherBootItIsReadAgain() throws IOException {
        Path checked = directory.resolve(SnapshotMemory.CHECKED);
        Files.writeString(checked, Files.readString(checked).replaceFirst("\"boot\":\"[^\"]*\"", "\"boot\":\"other\""));
        MemoryDigest ofAnother =
                new MemoryDigest("0".repeat(64), manifest.seal().orElseThrow().stamp());
        assertThatThrownBy(() -> memory.require(manifest(Optional.of(ofAnother))))
                .isInstanceOf(IOException.class)
                .hasMessage("its memory is not what was written");
        memory.require(manifest);
    }

    @Test
    void thatOfAProgramWithoutSealsIsKeptPrivateAndGoesByItsSize() throws IOException {
        Files.delete(directory.resolve(SnapshotMemory.CHECKED));
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r--r--"));
        memory.require(manifest(Optional.empty()));
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                .isEqualTo("rw-------");
        memory.read(manifest(Optional.empty()));
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
            channel.truncate(SIZE - 1);
        }
        assertThatThrownBy(() -> memory.require(manifest(Optional.empty())))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("bytes, not");
    }

    @Test
    void aDigestDependsOnWhereBytesAreAndNotOnHoles() throws IOException {
        String digest = manifest.seal().orElseThrow().digest();
        Path moved = directory.resolve("moved");
        write(moved, 4096, "kernel");
        write(moved, SIZE - 4, "last");
        assertThat(SparseDigest.of(moved)).isNotEqualTo(digest);
        Path zeros = directory.resolve("zeros");
        write(zeros, 0, "kernel");
        write(zeros, 1 << 20, "\0".repeat(1 << 20));
        write(zeros, SIZE - 4, "last");
        assertThat(SparseDigest.of(zeros)).isEqualTo(digest);
        Path longer = directory.resolve("longer");
        write(longer, 0, "kernel");
        write(longer, SIZE - 4, "last\0");
        assertThat(SparseDigest.of(longer)).isNotEqualTo(digest);
    }

    @Test
    void aManifestKeepsTheSeal() throws IOException {
        manifest.write(directory);
        assertThat(SnapshotManifest.read(directory)).isEqualTo(manifest);
        manifest(Optional.empty()).write(directory);
        assertThat(SnapshotManifest.read(directory).seal()).isEmpty();
    }

    @Test
    void checkingNamesWhatIsNotWhole() throws IOException {
        Path root = directory.resolve("root");
        assertThat(SnapshotCheck.problems(root)).isEmpty();
        Path snapshot = Files.createDirectories(root.resolve("snapshots/a"));
        Files.createFile(snapshot.resolve("lock"));
        write(snapshot.resolve("memory"), SIZE - 4, "last");
        SnapshotManifest written = manifest(Optional.of(new SnapshotMemory(snapshot).seal()));
        written.write(snapshot);
        assertThat(SnapshotCheck.problems(root)).isEmpty();
        write(snapshot.resolve("memory"), 4096, "evil");
        assertThat(SnapshotCheck.problems(root)).hasSize(1).first().asString().contains("a is damaged", "memory");
    }

    private static void write(Path file, long offset, String text) throws IOException {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
            channel.write(ByteBuffer.wrap(text.getBytes(StandardCharsets.US_ASCII)), offset);
        }
    }

    private static SnapshotManifest manifest(Optional<MemoryDigest> seal) {
        SnapshotRef ref = new SnapshotRef(
                new SnapshotName("a"),
                SnapshotRef.Kind.STREAMED,
                Instant.ofEpochMilli(1),
                64,
                1,
                RootDisk.raw(Path.of("/disk")),
                WritableLayer.inMemory(),
                false,
                false);
        return new SnapshotManifest(ref, SnapshotKey.of(Map.of("qemu", "7")), SIZE, seal, 0, "", new TreeSet<>(), 0, 0);
    }
}
