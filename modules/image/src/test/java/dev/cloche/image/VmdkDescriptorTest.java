package dev.cloche.image;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cloche.image.layer.DiskAssembler;
import dev.cloche.image.layer.LayerConverter;
import dev.cloche.image.layer.VmdkDescriptor;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class VmdkDescriptorTest {
    private static final long GIB = 1L << 30;

    @TempDir
    Path directory;

    @Test
    void extentsAreSplitAtTwoGibibytesWithOffsetsInSectors() {
        VmdkDescriptor descriptor = new VmdkDescriptor(Path.of("/cache/vmdk"));
        descriptor.add(Path.of("/cache/fsmeta/m"), 4096);
        descriptor.add(Path.of("/cache/vmdk/sha256:l"), 5 * GIB);
        String text = new String(descriptor.encode(), StandardCharsets.US_ASCII);
        assertThat(descriptor.bytes()).isEqualTo(5 * GIB + 4096);
        assertThat(text).contains("""
                createType="twoGbMaxExtentFlat"
                # Extent description
                RW 8 FLAT "../fsmeta/m" 0
                RW 4194304 FLAT "./sha256:l" 0
                RW 4194304 FLAT "./sha256:l" 4194304
                RW 2097152 FLAT "./sha256:l" 8388608
                """);
        assertThat(text.substring(0, text.indexOf("RW"))).doesNotContain("\n\n");
    }

    @Test
    void namesThatWouldBreakTheDescriptorAreRefused() {
        VmdkDescriptor descriptor = new VmdkDescriptor(Path.of("/cache"));
        for (String name : List.of("a\"b", "a\nb", "a\u00e9")) {
            assertThatThrownBy(() -> descriptor.add(Path.of("/cache", name), 4096))
                    .isInstanceOf(IllegalArgumentException.class);
        }
        assertThatThrownBy(() -> descriptor.add(Path.of("/cache/a"), 100)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void filesThatDoNotBelongTogetherAreRefused() throws IOException {
        Path layer = convert("layer", new TarBuilder().file("f", "x"), ArchiveLimits.DEFAULT);
        Path fsmeta = directory.resolve("fsmeta");
        DiskAssembler.writeFsmeta(List.of(layer), fsmeta, ImageLimits.generous());
        assertThatThrownBy(() -> DiskAssembler.vmdkDescriptor(fsmeta, List.of(), directory.resolve("d.vmdk")))
                .isInstanceOf(IllegalArgumentException.class);
        assertThat(directory.resolve("d.vmdk")).doesNotExist();
    }

    /** A layer of 3 GiB, almost all of it holes of the host's file: chunks of a very large sparse file. */
    @Test
    void qemuReadsExactlyTheConcatenation() throws IOException, InterruptedException {
        Shell.need("qemu-system-x86_64", "cmp");
        ArchiveLimits wide = new ArchiveLimits(100, 8, 200, 1L << 46, GIB, 8 * GIB, 4096, 10, 8192);
        long gib64k = GIB << 16;
        Path large = convert(
                "large",
                new TarBuilder()
                        .pax("GNU.sparse.map", (GIB - 1) + ",1," + (3 * GIB - 3) + ",7")
                        .pax("GNU.sparse.size", String.valueOf(gib64k))
                        .file("huge", "abcdefgh"),
                wide);
        assertThat(Files.size(large)).isGreaterThan(3 * GIB);
        Path small = convert("small", new TarBuilder().file("f", "content"), ArchiveLimits.DEFAULT);
        List<Path> layers = List.of(small, large, small);
        Path fsmeta = directory.resolve("fsmeta");
        Path descriptor = directory.resolve("disk.vmdk");
        DiskAssembler.writeFsmeta(layers, fsmeta, ImageLimits.generous());
        DiskAssembler.vmdkDescriptor(fsmeta, layers, descriptor);

        Shell.run(directory, """
                for f in fsmeta small large small; do
                  size=$(stat -c %s flat 2>/dev/null || echo 0); truncate -s $((size + $(stat -c %s $f))) flat
                  dd if=$f of=flat bs=64K oflag=seek_bytes seek=$size conv=notrunc,sparse status=none
                done
                """);
        Shell.run(directory, """
                truncate -s $(stat -c %s flat) read
                { echo '{"execute":"qmp_capabilities"}'
                  echo '{"execute":"blockdev-backup","arguments":{"job-id":"j","device":"disk","target":"read","sync":"full"}}'
                  until grep -q -E 'BLOCK_JOB_COMPLETED|error' qmp; do sleep 0.05; done
                  echo '{"execute":"quit"}'
                } | timeout 100 qemu-system-x86_64 -machine none -nodefaults -display none -qmp stdio \\
                  -blockdev driver=vmdk,node-name=disk,read-only=on,file.driver=file,file.filename=disk.vmdk \\
                  -blockdev driver=raw,node-name=read,discard=unmap,detect-zeroes=unmap,file.driver=file,file.filename=read \\
                  > qmp
                grep -q BLOCK_JOB_COMPLETED qmp; ! grep error qmp; cmp flat read
                """);

        Shell.needMounts();
        Shell.fsck(large);
        assertThat(Shell.mounted(directory.resolve("read"), """
                stat -c %s huge; for at in 1073741823 3221225469 3221225472 3221225475; do
                dd if=huge iflag=skip_bytes,count_bytes skip=$at count=3 status=none | tr '\\0' .; done; cat f
                """)).isEqualTo(gib64k + "\na..bcdefgh..content");
    }

    private Path convert(String name, TarBuilder archive, ArchiveLimits limits) throws IOException {
        Path layer = directory.resolve(name);
        try (InputStream stream = archive.stream()) {
            LayerConverter.convert(stream, layer, limits);
        }
        return layer;
    }
}
