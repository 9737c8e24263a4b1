package dev.cloche.machine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cloche.image.PullListener;
import dev.cloche.machine.archive.ArchiveManifest;
import dev.cloche.machine.archive.ArchiveWriter;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What cannot be imported is refused, and leaves no machine and nothing of one. */
class MachineImportTest extends MachinesInMemory {
    private static final ArchiveManifest MANIFEST = new ArchiveManifest(1, "web", 64, false);
    private static final String CONFIG = "name = \"web\"\nvm_id = \"x\"\nimage = \"base\"\n";

    @Test
    void aNewerOneIsRefusedAndLeavesNothing() throws IOException {
        refused(archive(new ArchiveManifest(2, "web", 64, false), CONFIG), "version 2");
        refused(archive(MANIFEST, "schema_version = 2\n" + CONFIG), "schema version 2");
    }

    @Test
    void aDamagedOneIsRefusedAndLeavesNothing() throws IOException {
        Path whole = archive(MANIFEST, CONFIG);
        byte[] bytes = Files.readAllBytes(whole);
        bytes[bytes.length / 2] ^= 1;
        refused(Files.write(home.resolve("damaged"), bytes), "it is damaged, cut short, or not compressed by zstd");
        refused(Files.write(home.resolve("short"), Arrays.copyOf(bytes, bytes.length / 2)), "cut short");
        refused(Files.write(home.resolve("other"), List.of("no archive")), "not compressed by zstd");
        refused(archive(MANIFEST, "cpus = =\n"), "");
    }

    @Test
    void oneThatWouldHaveANameThatIsTakenOrNoneIsRefusedAndLeavesNothing() throws IOException {
        assertThatThrownBy(() -> imported(archive(new ArchiveManifest(1, "../web", 64, false), CONFIG)))
                .isInstanceOf(MachineException.class);
        assertNothingIsLeft(List.of());
        make(MachineSettings.DEFAULTS);
        assertThatThrownBy(() -> imported(archive(MANIFEST, CONFIG))).isInstanceOf(MachineException.NameInUse.class);
        assertNothingIsLeft(List.of("web"));
    }

    private void refused(Path archive, String about) throws IOException {
        assertThatThrownBy(() -> imported(archive))
                .isInstanceOf(MachineException.BadArchive.class)
                .hasMessageContaining(about);
        assertNothingIsLeft(List.of());
    }

    private void assertNothingIsLeft(List<String> machinesBefore) throws IOException {
        assertThat(store().list()).isEqualTo(machinesBefore);
        try (Stream<Path> left = Files.list(home.resolve("machines"))) {
            assertThat(left.map(path -> String.valueOf(path.getFileName())))
                    .noneMatch(name -> name.startsWith(".making"));
        }
    }

    private PersistedMachine imported(Path archive) {
        return machines.importFrom(archive, Optional.empty(), PullListener.none(), soon());
    }

    private Path archive(ArchiveManifest manifest, String config) throws IOException {
        Path disk = home.resolve("disk.raw");
        try (RandomAccessFile file = new RandomAccessFile(disk.toFile(), "rw")) {
            file.setLength(64L << 20);
            file.write("some data".getBytes(StandardCharsets.US_ASCII));
        }
        Path archive = home.resolve("archive.tar.zst");
        Files.deleteIfExists(archive);
        ArchiveWriter.write(archive, manifest, config.getBytes(StandardCharsets.UTF_8), new byte[0], disk);
        return archive;
    }
}
