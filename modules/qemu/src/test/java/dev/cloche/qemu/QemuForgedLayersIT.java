package dev.cloche.qemu;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cloche.qemu.disk.DiskChain;
import dev.cloche.qemu.disk.DiskTools;
import dev.cloche.qemu.disk.SparseFiles;
import dev.cloche.vm.Isolation;
import dev.cloche.vm.PersistentDisk;
import dev.cloche.vm.Vm;
import dev.cloche.vm.VmException;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Disks whose layers have heads that a guest forged after it broke out of QEMU: another file of the host is said to be below one
 * of them, or to have its data. The next VM of the disk, which may have lower walls, and what the host does with the disk see its
 * own layers and nothing else.
 */
class QemuForgedLayersIT extends QemuTest {
    private static final int SIZE_MIB = 256;
    private static final int MAGIC = 0x514649fb;
    private static final int FORMAT_EXTENSION = 0xe2792aca;
    private static final int DATA_EXTENSION = 0x44415441;
    private static final long EXTERNAL_DATA = 4;
    /** Where ext4 has nothing: between the boot block's first sector and the superblock. */
    private static final int UNUSED = 512;
    /** Neither tables nor a copy of the superblock are there. */
    private static final long HOLE = 210L << 20;

    private static final String SECRET = "SECRET!!";

    private PersistentDisk home;
    private Path secret;

    @BeforeEach
    void makeThreeLayers() throws IOException {
        home = provider.disks().create(fixture.stateRoot().resolve("home"), SIZE_MIB);
        secret = directory.resolve("secret");
        // The same file system, so that it shows where this one is taken for the disk.
        SparseFiles.copy(layer(0), secret);
        write(secret, UNUSED, SECRET.getBytes(StandardCharsets.US_ASCII));
        DiskChain chain =
                DiskChain.persistent(home.directory(), new DiskTools(resources.qemu(), resources.formatter()));
        assertThat(chain.addLayer(SIZE_MIB)).isEqualTo(layer(1));
        assertThat(chain.addLayer(SIZE_MIB)).isEqualTo(layer(2));
    }

    private Path layer(int number) {
        return home.directory().resolve("disk." + number);
    }

    private static void write(Path file, long at, byte[] bytes) throws IOException {
        try (RandomAccessFile open = new RandomAccessFile(file.toFile(), "rw")) {
            open.seek(at);
            open.write(bytes);
        }
    }

    /** Of docs/interop/qcow2.txt in QEMU. */
    private static void extension(ByteBuffer out, int type, String text) {
        out.putInt(type).putInt(text.length()).put(text.getBytes(StandardCharsets.US_ASCII));
        out.position((out.position() + 7) / 8 * 8);
    }

    /** Changes what a layer says is below it, and where its data are. */
    private void forge(int number, Path below, String format, Optional<Path> data) throws IOException {
        int name = 2048;
        ByteBuffer head = ByteBuffer.allocate(4096).put(Files.readAllBytes(layer(number)), 0, 4096);
        byte[] path = below.toString().getBytes(StandardCharsets.US_ASCII);
        head.putLong(8, name).putInt(16, path.length).put(name, path);
        head.position(head.getInt(100));
        extension(head, FORMAT_EXTENSION, format);
        if (data.isPresent()) {
            head.putLong(72, head.getLong(72) | EXTERNAL_DATA);
            extension(head, DATA_EXTENSION, data.get().toString());
        }
        head.putLong(0);
        write(layer(number), 0, head.array());
    }

    /** Makes the lowest one, which is a file system, begin as a layer above the secret, and the next one say that it is such. */
    private void forgeBottom() throws IOException {
        ByteBuffer head = ByteBuffer.allocate(UNUSED);
        byte[] path = secret.toString().getBytes(StandardCharsets.US_ASCII);
        int name = 200;
        head.putInt(MAGIC).putInt(3).putLong(name).putInt(path.length).putInt(16);
        head.putLong((long) SIZE_MIB << 20).putInt(0).putInt(1).putLong(HOLE).putLong(HOLE + (64 << 10));
        head.putInt(1)
                .putInt(0)
                .putLong(0)
                .putLong(0)
                .putLong(0)
                .putLong(0)
                .putInt(4)
                .putInt(104);
        extension(head, FORMAT_EXTENSION, "raw");
        head.putLong(0);
        head.put(name, path);
        write(layer(0), 0, head.array());
        forge(1, Path.of("disk.0"), "qcow2", Optional.empty());
    }

    private void forgeBacking(int number) throws IOException {
        switch (number) {
            case 0 -> forgeBottom();
            default -> forge(number, secret, "raw", Optional.empty());
        }
    }

    private Vm boot(Isolation least) {
        Vm vm = provider.create(spec().withWritable(home.layer()).withIsolation(Optional.of(least)));
        vm.start(soon());
        return vm;
    }

    @ParameterizedTest
    @CsvSource({"REDUCED,0", "REDUCED,1", "REDUCED,2", "AUTO,0", "AUTO,1", "AUTO,2"})
    void aVmSeesTheDisksOwnLayersWhateverOneSaysIsBelowIt(Isolation least, int number) throws IOException {
        forgeBacking(number);
        try (Vm vm = boot(least)) {
            String read = "busybox dd if=/dev/vdb bs=512 skip=1 count=1 2>/dev/null | busybox tr -d '\\0'";
            assertThat(shell(vm, read)).isEmpty();
            assertThat(shell(vm, "echo written > /root/file; busybox sync; cat /root/file"))
                    .isEqualTo("written\n");
            vm.kill(soon());
            vm.destroy();
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2})
    void aCopyOfTheDiskHasNothingElse(int number) throws IOException {
        forgeBacking(number);
        Path raw = directory.resolve("raw");
        provider.disks().flatten(home.directory(), raw);
        try (RandomAccessFile file = new RandomAccessFile(raw.toFile(), "r")) {
            byte[] bytes = new byte[SECRET.length()];
            file.seek(UNUSED);
            file.readFully(bytes);
            assertThat(bytes).containsOnly(0);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void aLayerWhoseDataAreElsewhereIsRefusedAndNothingIsWrittenThere(int number) throws IOException {
        byte[] before = Files.readAllBytes(secret);
        forge(number, Path.of("disk." + (number - 1)), number == 1 ? "raw" : "qcow2", Optional.of(secret));
        for (Isolation least : List.of(Isolation.REDUCED, Isolation.AUTO)) {
            try (Vm vm = provider.create(spec().withWritable(home.layer()).withIsolation(Optional.of(least)))) {
                assertThatThrownBy(() -> vm.start(soon()))
                        .isInstanceOf(VmException.Storage.class)
                        .hasMessageContaining("is no layer of a disk");
            }
        }
        assertThatThrownBy(() -> provider.disks().grow(home.directory(), 2 * SIZE_MIB))
                .isInstanceOf(VmException.Storage.class)
                .hasMessageContaining("is no layer of a disk");
        assertThatThrownBy(() -> provider.disks().flatten(home.directory(), directory.resolve("raw")))
                .isInstanceOf(VmException.Storage.class)
                .hasMessageContaining("is no layer of a disk");
        assertThat(Files.readAllBytes(secret)).isEqualTo(before);
    }

    @Test
    void aLinkInThePlaceOfALayerIsRefused() throws IOException {
        Files.delete(layer(1));
        Files.createSymbolicLink(layer(1), secret);
        try (Vm vm = provider.create(spec().withWritable(home.layer()))) {
            assertThatThrownBy(() -> vm.start(soon()))
                    .isInstanceOf(VmException.Storage.class)
                    .hasMessageContaining("is no file");
        }
    }

    @Test
    void aDiskGrowsWhateverItsTopSaysIsBelowIt() throws IOException {
        forge(2, directory.resolve("not there"), "raw", Optional.empty());
        assertThat(provider.disks().grow(home.directory(), 2 * SIZE_MIB).sizeMiB())
                .isEqualTo(2 * SIZE_MIB);
        try (Vm vm = boot(Isolation.AUTO)) {
            assertThat(vm.guest().metrics(soon()).diskBytes().orElseThrow()).isGreaterThan(400L << 20);
            vm.kill(soon());
            vm.destroy();
        }
    }
}
