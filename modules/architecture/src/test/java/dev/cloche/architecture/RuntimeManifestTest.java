package dev.cloche.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cloche.runtime.RuntimeManifest;
import dev.cloche.vmm.channel.GuestConnection;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDate;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Holds {@code runtime.json} to what the script writes, and the range of protocols to the one that is spoken. */
class RuntimeManifestTest {
    private static final Path ROOT = Path.of("../..").toAbsolutePath().normalize();

    @TempDir
    Path directory;

    @Test
    void theProtocolThatIsSpokenIsTheNewestThatIsAccepted() {
        assertThat(GuestConnection.PROTOCOL_VERSION).isEqualTo(RuntimeManifest.NEWEST_GUEST_PROTOCOL);
        assertThat(RuntimeManifest.OLDEST_GUEST_PROTOCOL).isLessThanOrEqualTo(RuntimeManifest.NEWEST_GUEST_PROTOCOL);
    }

    @Test
    void theScriptWritesWhatTheLibraryReads() throws Exception {
        for (String part :
                List.of("cloche-guard", "cloche-tsc", "initramfs", "kernel/vmlinux", "images/base/index.json")) {
            write(part, "the bytes of " + part);
        }
        write("kernel/kernel.properties", "kind=small\nversion=6.12.57-1\n");
        RuntimeManifest manifest = written();
        manifest.requireUsable();
        assertThat(manifest.built()).isEqualTo(LocalDate.of(2026, 1, 31));
        assertThat(manifest.parts()).hasSize(6).anySatisfy(part -> {
            assertThat(part.path()).isEqualTo("kernel/vmlinux");
            assertThat(part.version()).isEqualTo("6.12.57-1");
            assertThat(part.sha256()).matches("[0-9a-f]{64}");
        });
        assertThat(directory.resolve("runtime.json")).content().contains("qemu-img", "passt");

        for (String part : List.of("bin/qemu-system-x86_64", "bin/qemu-img", "share/qemu/bios-microvm.bin")) {
            write("emulator/" + part, "the bytes of " + part);
        }
        write("emulator/emulator.properties", "version=1:10.0.13\nseabios=1.16.3-2\n");
        assertThat(written().parts())
                .extracting(part -> part.path() + " " + part.version())
                .hasSize(9)
                .contains("emulator/bin/qemu-img 1:10.0.13", "emulator/share/qemu/bios-microvm.bin 1.16.3-2");
        assertThat(directory.resolve("runtime.json")).content().contains("\"system\": [\"passt\", \"mkfs.ext4\"]");

        write("programs/bin/passt", "the bytes of passt");
        write("programs/bin/mkfs.ext4", "the bytes of mkfs.ext4");
        write("programs/programs.properties", "passt=0.0~git20250503-2\ne2fsprogs=1.47.2-3\n");
        assertThat(written().parts())
                .extracting(part -> part.path() + " " + part.version())
                .hasSize(11)
                .contains("programs/bin/passt 0.0~git20250503-2", "programs/bin/mkfs.ext4 1.47.2-3");
    }

    private RuntimeManifest written() throws Exception {
        Process script = new ProcessBuilder(
                        ROOT.resolve("lib/runtime-manifest.sh").toString(), directory.toString(), "2026-01-31")
                .redirectOutput(directory.resolve("runtime.json").toFile())
                .start();
        assertThat(script.waitFor()).isZero();
        return RuntimeManifest.in(List.of(directory)).orElseThrow();
    }

    private void write(String name, String text) throws IOException {
        Path file = directory.resolve(name);
        Files.createDirectories(file.getParent());
        Files.writeString(file, text);
    }
}
