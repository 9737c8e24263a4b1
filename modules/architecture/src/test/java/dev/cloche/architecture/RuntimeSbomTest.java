package dev.cloche.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Holds the scripts that say which programs of others a runtime has, and which holes their versions mend, to that. */
class RuntimeSbomTest {
    private static final Path ROOT = Path.of("../..").toAbsolutePath().normalize();

    @TempDir
    Path directory;

    @Test
    void holesAreThoseThatTheChangelogNamesUnderTheSameUpstreamVersion() throws Exception {
        write("changelog", """
                qemu (1:10.0.13+ds-0+deb13u2) trixie-security; urgency=high

                  * hw/net: bound a length (Closes: CVE-2026-1002)
                  * again, for the other ring: CVE-2026-1002, CVE-2026-20001

                 -- Someone <someone@example.org>  Mon, 02 Nov 2026 10:00:00 +0000

                qemu (1:10.0.13+ds-0+deb13u1) trixie; urgency=medium

                  * new upstream release
                    Closes: CVE-2026-1001

                 -- Someone <someone@example.org>  Sun, 01 Nov 2026 10:00:00 +0000

                qemu (1:10.0.12+ds-0+deb13u1) trixie; urgency=medium

                  * Closes: CVE-2025-9999
                """);
        String log = directory.resolve("changelog").toString();
        assertThat(output("lib/mended.sh", "1:10.0.13+ds-0+deb13u2", log))
                .isEqualTo("CVE-2026-1001\nCVE-2026-1002\nCVE-2026-20001\n");
        assertThat(output("lib/mended.sh", "1:10.0.11+ds-0+deb13u1", log)).isEmpty();
        assertThat(output("lib/mended.sh", "1:10.0.13+ds-0+deb13u1", log + ".none"))
                .isEmpty();
    }

    @Test
    void theSbomNamesEachProgramItsUpstreamVersionAndItsHoles() throws Exception {
        runtime();
        JsonNode kernel = component("linux");
        assertThat(kernel.at("/version").asString()).isEqualTo("6.1.176-1");
        assertThat(kernel.at("/cpe").asString()).startsWith("cpe:2.3:o:linux:linux_kernel:6.1.176:");
        assertThat(resolved(kernel)).containsExactly("CVE-2026-1", "CVE-2026-2");
        JsonNode busybox = component("busybox");
        assertThat(busybox.at("/purl").asString())
                .isEqualTo("pkg:deb/debian/busybox-static@1%3A1.37.0-6%2Bb9?arch=amd64");
        assertThat(busybox.at("/pedigree/ancestors/0/version").asString()).isEqualTo("1.37.0");
        assertThat(resolved(busybox)).containsExactly("CVE-2023-3");
        assertThat(names()).doesNotContain("qemu");

        write("emulator/emulator.properties", """
                version=1:10.0.13+ds-0+deb13u1
                seabios=1.16.3-2
                libc6-dev=2.36-9
                libglib2.0-dev=2.74.6-2
                libpcre2-dev=10.42-1
                libseccomp-dev=2.5.4-1
                libfdt-dev=1.6.1-4
                zlib1g-dev=1:1.2.13.dfsg-1
                """);
        write("emulators/qemu/mended", "qemu CVE-2026-4\nseabios CVE-2026-5\nzlib1g-dev CVE-2026-6\n");
        assertThat(names()).contains("qemu", "seabios", "qboot", "libc6-dev").doesNotHaveDuplicates();
        assertThat(resolved(component("qemu"))).containsExactly("CVE-2026-4");
        assertThat(resolved(component("seabios"))).containsExactly("CVE-2026-5");
        assertThat(resolved(component("libseccomp-dev"))).isEmpty();
        JsonNode zlib = component("zlib1g-dev");
        assertThat(zlib.at("/pedigree/ancestors/0/version").asString()).isEqualTo("1.2.13");
        assertThat(resolved(zlib)).containsExactly("CVE-2026-6");
        assertThat(names()).doesNotContain("passt");

        write("programs/programs.properties", "passt=0.0~git20250503.587980c-2+deb13u1\ne2fsprogs=1.47.2-3\n");
        write("emulators/programs/mended", "passt CVE-2026-7\ne2fsprogs CVE-2026-8\n");
        assertThat(names()).contains("passt", "e2fsprogs").doesNotHaveDuplicates();
        assertThat(resolved(component("passt"))).containsExactly("CVE-2026-7");
        assertThat(component("e2fsprogs").at("/pedigree/ancestors/0/version").asString())
                .isEqualTo("1.47.2");
        assertThat(resolved(component("e2fsprogs"))).containsExactly("CVE-2026-8");
    }

    /** The files of a runtime and what ./setup keeps beside them, in one directory. */
    private void runtime() throws Exception {
        write("runtime.json", "{\n  \"version\": \"0.1.0\",\n}\n");
        write("kernel/kernel.properties", "package=linux-source-6.1\nversion=6.1.176-1\n");
        write("kernels/small/kernel/mended", "CVE-2026-1\nCVE-2026-2\n");
        write("base.mended", "CVE-2023-3\n");
        byte[] program = new byte[200_000]; // no compression makes it small
        new Random(1).nextBytes(program);
        byte[] banner = "\nBusyBox v1.37.0 (Debian 1:1.37.0-6+b9)\n".getBytes(StandardCharsets.UTF_8);
        System.arraycopy(banner, 0, program, 1000, banner.length);
        Path root = Files.createDirectories(directory.resolve("root/bin"));
        Files.write(root.resolve("busybox"), program);
        Path blobs = Files.createDirectories(directory.resolve("images/base/blobs"));
        assertThat(run(List.of(
                        "tar",
                        "-czf",
                        blobs.resolve("layer").toString(),
                        "-C",
                        directory.resolve("root").toString(),
                        "./bin/busybox")))
                .isEmpty();
    }

    private JsonNode sbom() throws Exception {
        return new JsonMapper()
                .readTree(output("lib/runtime-sbom.sh", directory.toString(), directory.toString(), "0.1.0"));
    }

    private List<String> names() throws Exception {
        return StreamSupport.stream(sbom().at("/components").spliterator(), false)
                .map(part -> part.at("/name").asString())
                .toList();
    }

    private JsonNode component(String name) throws Exception {
        return StreamSupport.stream(sbom().at("/components").spliterator(), false)
                .filter(part -> part.at("/name").asString().equals(name))
                .findFirst()
                .orElseThrow();
    }

    private static List<String> resolved(JsonNode component) {
        return component.at("/pedigree/patches").findValuesAsString("id");
    }

    private static String output(String script, String... arguments) throws Exception {
        return run(Stream.concat(Stream.of(ROOT.resolve(script).toString()), Stream.of(arguments))
                .toList());
    }

    private static String run(List<String> command) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(command)
                .redirectInput(Path.of("/dev/null").toFile())
                .redirectErrorStream(true)
                .start();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(said).isZero();
        return said;
    }

    private void write(String name, String text) throws IOException {
        Path file = directory.resolve(name);
        Files.createDirectories(file.getParent());
        Files.writeString(file, text);
    }
}
