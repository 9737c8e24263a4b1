package dev.cloche.image;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cloche.image.layer.LayerConverter;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The kernel's view of a layer must be what GNU tar extracts from the same archive. */
class LayerFidelityTest {
    private static final String TREE = """
            mkdir tree && cd tree
            mkdir -m 1777 tmp; mkdir -p -m 2750 deep/er/still; touch -d '1969-05-06 07:08:09.123456789 UTC' old
            head -c 300000 /dev/urandom > random; head -c 4096 /dev/urandom > block; : > empty
            ln random hard; ln -s random soft; ln -s "$(printf 'x%.0s' $(seq 300))" deep/long-target
            touch "$(printf 'n%.0s' $(seq 250))" "$(printf 'byte\\377\\nname')"
            mkdir -p "$(printf 'p%.0s' $(seq 120))/$(printf 'q%.0s' $(seq 120))"
            touch "$(printf 'p%.0s' $(seq 120))/$(printf 'q%.0s' $(seq 120))/file"
            mknod char c 5 1; mknod block-device b 259 70000; mkfifo pipe
            truncate -s 20M sparse; for at in 0 5000000 12582912 20971510; do
              printf 'data%d' $at | dd of=sparse bs=1 seek=$at conv=notrunc status=none; done
            truncate -s 3M hole; truncate -s 5M tail; printf x | dd of=tail bs=1 conv=notrunc status=none
            cp random program; chmod 6755 program; chown 12345:54321 program; chown 4000000000:4000000001 old
            for i in $(seq 1000); do : > tmp/entry-$i; done
            cd ..
            """;

    @TempDir
    Path directory;

    @BeforeEach
    void requireRoot() throws IOException {
        Shell.needMounts();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "--format=gnu",
                "--format=gnu -S",
                "--format=pax --xattrs --xattrs-include=*",
                "--format=pax -S --sparse-version=0.0",
                "--format=pax -S --sparse-version=0.1",
                "--format=pax -S --sparse-version=1.0 --xattrs --xattrs-include=*"
            })
    void theKernelSeesWhatGnuTarExtracts(String options) throws IOException, InterruptedException {
        Shell.need("setfattr", "setcap", "setfacl");
        Shell.run(directory, TREE);
        Shell.run(directory, """
                cd tree
                setcap cap_setuid,cap_sys_admin,cap_checkpoint_restore+ep program
                setfattr -n user.binary -v 0s/oD/AAE= random; setfattr -n trusted.note -v 0x80ff00 deep
                setfacl -m u:1234:rw,g:99:r random; setfacl -d -m u:7:rwx deep
                """);
        Shell.run(directory, "tar " + options.replace("*", "'*'") + " -cf archive.tar -C tree .");
        assertSame(directory.resolve("archive.tar"));
    }

    @Test
    void binaryAttributesSurvive() throws IOException, InterruptedException {
        byte[] capability = {
            1, 0, 0, 2, (byte) 0x80, 0, (byte) 0x80, 0, (byte) 0x80, (byte) 0xff, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0
        };
        Path archive = directory.resolve("archive.tar");
        Files.write(
                archive,
                new TarBuilder()
                        .pax("SCHILY.xattr.security.capability", capability)
                        .pax("SCHILY.xattr.user.a%3Db", new byte[] {'=', '\n', 0, (byte) 0xc3})
                        .pax("SCHILY.xattr.user.empty", "")
                        .file("program", "x")
                        .bytes());
        String listing = assertSame(archive);
        assertThat(listing)
                .contains("security.capability=0x0100000280008000")
                .contains("user.a\\075b=0x3d0a00c3")
                .contains("user.empty");
    }

    private String assertSame(Path archive) throws IOException, InterruptedException {
        Path image = directory.resolve("layer.erofs");
        try (InputStream tar = Files.newInputStream(archive)) {
            LayerConverter.convert(tar, image, ArchiveLimits.DEFAULT);
        }
        Shell.fsck(image);
        Shell.run(
                directory,
                "mkdir extracted; tar -xpf \"$1\" -C extracted --numeric-owner --xattrs --xattrs-include='*'",
                archive.toString());
        String expected = Shell.listing(directory.resolve("extracted"));
        assertThat(Shell.mountedListing(image)).isEqualTo(expected).isNotEmpty();
        return expected;
    }
}
