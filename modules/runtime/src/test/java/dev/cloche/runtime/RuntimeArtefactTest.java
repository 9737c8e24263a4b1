package dev.cloche.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.cloche.base.Deadline;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RuntimeArtefactTest {
    private final BuiltArtefact built = BuiltArtefact.small();

    @TempDir
    private Path directory;

    private URLClassLoader jar(boolean withKernel) throws IOException {
        Path jar = directory.resolve("runtime-" + withKernel + ".jar");
        try (OutputStream file = Files.newOutputStream(jar);
                JarOutputStream out = new JarOutputStream(file)) {
            entry(out, RuntimeArtefact.INDEX, built.indexBytes());
            for (RuntimeIndex.Entry each : built.index().entries()) {
                if (withKernel || !each.path().startsWith("kernel/")) {
                    entry(out, "META-INF/cloche/runtime/files/" + each.path(), built.content(each.path()));
                }
            }
        }
        return new URLClassLoader(new URL[] {jar.toUri().toURL()}, null);
    }

    private static void entry(JarOutputStream out, String name, byte[] content) throws IOException {
        out.putNextEntry(new JarEntry(name));
        out.write(content);
        out.closeEntry();
    }

    @Test
    void isFoundInAJarAndUnpackedFromIt() throws IOException {
        try (URLClassLoader loader = jar(true)) {
            RuntimeArtefact artefact = RuntimeArtefact.find(loader).orElseThrow();
            assertThat(artefact.digest()).isEqualTo(built.index().digest());
            Path unpacked = artefact.unpacked(directory.resolve("cache"), Deadline.none());
            assertThat(unpacked.resolve("kernel/vmlinux")).hasBinaryContent(built.content("kernel/vmlinux"));
            Files.writeString(unpacked.resolve("initramfs"), "damaged");
            assertThat(artefact.mend(directory.resolve("cache"), Deadline.none()))
                    .isTrue();
            assertThat(unpacked.resolve("initramfs")).isEmptyFile();
        }
    }

    @Test
    void isNotFoundWhereThereIsNone() throws IOException {
        try (URLClassLoader loader = new URLClassLoader(new URL[0], null)) {
            assertThat(RuntimeArtefact.find(loader)).isEmpty();
        }
    }

    /** Has the resources of an artefact where no name leads to them, as a module of another layer has. */
    public static final class ServedFiles implements RuntimeFiles {
        private static final BuiltArtefact BUILT = BuiltArtefact.small();

        @Override
        public @Nullable InputStream open(String name) {
            return name.equals(RuntimeArtefact.INDEX)
                    ? new ByteArrayInputStream(BUILT.indexBytes())
                    : new ByteArrayInputStream(BUILT.content(name.replace("META-INF/cloche/runtime/files/", "")));
        }
    }

    @Test
    void isFoundAsAService() throws IOException {
        Path services = Files.createDirectories(directory.resolve("services/META-INF/services"));
        Files.writeString(services.resolve(RuntimeFiles.class.getName()), ServedFiles.class.getName());
        URL[] place = {directory.resolve("services").toUri().toURL()};
        try (URLClassLoader loader = new URLClassLoader(place, getClass().getClassLoader())) {
            RuntimeArtefact artefact = RuntimeArtefact.find(loader).orElseThrow();
            assertThat(artefact.unpacked(directory.resolve("cache"), Deadline.none())
                            .resolve("kernel/vmlinux"))
                    .hasBinaryContent(built.content("kernel/vmlinux"));
        }
    }

    @Test
    void namesTheFileThatAJarLacks() throws IOException {
        try (URLClassLoader loader = jar(false)) {
            RuntimeArtefact artefact = RuntimeArtefact.find(loader).orElseThrow();
            assertThatExceptionOfType(RuntimeUnusable.Damaged.class)
                    .isThrownBy(() -> artefact.unpacked(directory.resolve("cache"), Deadline.none()))
                    .withMessageContaining("lacks kernel/vmlinux");
        }
    }

    @Test
    void isUnpackedWhereThePropertySaysElseInTheUsersCache() {
        Optional<String> none = Optional.empty();
        assertThat(RuntimeArtefact.cache(Map.of("XDG_CACHE_HOME", "/x"), Optional.of("/named"), "/h"))
                .isEqualTo(Path.of("/named"));
        assertThat(RuntimeArtefact.cache(Map.of("XDG_CACHE_HOME", "/x"), none, "/h"))
                .isEqualTo(Path.of("/x/cloche/runtime"));
        assertThat(RuntimeArtefact.cache(Map.of(), none, "/h")).isEqualTo(Path.of("/h/.cache/cloche/runtime"));
        // As the base directory specification demands.
        assertThat(RuntimeArtefact.cache(Map.of("XDG_CACHE_HOME", "relative"), none, "/h"))
                .isEqualTo(Path.of("/h/.cache/cloche/runtime"));
        for (String home : new String[] {"?", "", "/nonexistent"}) {
            assertThatExceptionOfType(RuntimeUnusable.NoDirectory.class)
                    .isThrownBy(() -> RuntimeArtefact.cache(Map.of(), none, home));
        }
    }
}
