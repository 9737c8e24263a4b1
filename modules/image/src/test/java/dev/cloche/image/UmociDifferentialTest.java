package dev.cloche.image;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cloche.image.layer.FileFingerprint;
import dev.cloche.image.layer.FilePublication;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * An image that umoci has built step by step (hard links across layers, whiteouts, an opaque directory, capabilities,
 * access control lists, long names, more than 30 layers) is, as the kernel mounts it, entry by entry what umoci unpacks.
 */
class UmociDifferentialTest {
    private static final String BUILD = """
            umoci init --layout oci
            umoci new --image oci:t
            umoci unpack --image oci:t b
            r=b/rootfs
            mkdir -p $r/bin $r/etc/opaque/sub $r/gone/below $r/$'na\\303\\257ve dir' $r/var
            cp /bin/true $r/bin/cap; cp /bin/true $r/bin/setuid; chmod 4755 $r/bin/setuid
            setcap cap_setuid,cap_net_raw+ep $r/bin/cap
            echo one > $r/etc/one; ln $r/etc/one $r/etc/hard
            echo acl > $r/etc/acl; setfacl -m u:1234:rw,g:77:r $r/etc/acl
            echo hidden > $r/etc/opaque/hidden; echo x > $r/etc/opaque/sub/x; echo y > $r/gone/below/y
            long=$(printf 'n%.0s' $(seq 1 240))
            mkdir -p $r/$long/$long; echo deep > $r/$long/$long/$long; ln -s $long/$long $r/link
            mkfifo $r/var/fifo; mknod $r/var/null c 1 3; mknod $r/var/loop b 7 0
            chown 1000:70000 $r/etc/one; touch -d '1999-12-31 23:59:59.123456789' $r/bin/setuid
            umoci repack --refresh-bundle --image oci:t b
            rm -r $r/gone; rm $r/etc/one; echo two > $r/etc/one; ln $r/etc/hard $r/etc/third
            rm $r/link; mkdir $r/link; echo now > $r/link/file; chmod 700 $r/etc; chown 5:6 $r/var
            umoci repack --refresh-bundle --image oci:t b
            mkdir new; echo shown > new/shown
            umoci insert --opaque --image oci:t new /etc/opaque
            umoci insert --whiteout --image oci:t /var/fifo
            rm -rf b; umoci unpack --image oci:t b
            for i in $(seq 1 30); do
              echo $i > $r/var/layer-$i; rm -f $r/var/layer-$((i - 2))
              umoci repack --refresh-bundle --image oci:t b
            done
            umoci unpack --image oci:t final
            """;

    @TempDir
    Path directory;

    @Test
    void theDiskIsWhatUmociUnpacksAndItsPartsAreSound() throws Exception {
        Shell.needMounts();
        Shell.need("umoci", "setcap", "setfacl", "fsck.erofs");
        Shell.run(directory, BUILD);
        ImageReference name = ImageReference.parse("differential:1");
        try (StoreFixture fixture = StoreFixture.in(directory.resolve("store"))) {
            fixture.store.load(directory.resolve("oci"), Optional.of(name), PullListener.none(), StoreFixture.soon());
            assertThat(fixture.store.get(name).layers()).isGreaterThan(30);
            ImageDisk disk = fixture.acquire(name, PullPolicy.NEVER, "a");
            Path flat = flat(disk);
            assertThat(Shell.mountedListing(flat)).isEqualTo(Shell.listing(directory.resolve("final/rootfs")));
            Shell.fsck(flat);
            for (String file : fixture.files()) {
                if (file.startsWith("layers/")) {
                    Shell.fsck(fixture.cache.resolve(file));
                }
            }
            List<FileFingerprint> first = contents(fixture);
            try (StoreFixture again = StoreFixture.in(directory.resolve("again"))) {
                again.store.load(directory.resolve("oci"), Optional.of(name), PullListener.none(), StoreFixture.soon());
                assertThat(contents(again))
                        .as("the same image gives the same bytes")
                        .isEqualTo(first);
            }
        }
    }

    private static List<FileFingerprint> contents(StoreFixture fixture) throws IOException {
        List<FileFingerprint> contents = new ArrayList<>();
        for (String file : fixture.files()) {
            contents.add(FilePublication.read(fixture.cache.resolve(file)));
        }
        return contents;
    }

    /** What the extents of the descriptor are together. */
    private Path flat(ImageDisk disk) throws IOException {
        Path flat = directory.resolve("flat.erofs");
        try (OutputStream out = Files.newOutputStream(flat)) {
            for (String line : Files.readAllLines(disk.vmdk())) {
                if (line.startsWith("RW ")) {
                    String extent = line.substring(line.indexOf('"') + 1, line.lastIndexOf('"'));
                    try (InputStream in = Files.newInputStream(disk.vmdk().resolveSibling(extent))) {
                        in.transferTo(out);
                    }
                }
            }
        }
        return flat;
    }
}
