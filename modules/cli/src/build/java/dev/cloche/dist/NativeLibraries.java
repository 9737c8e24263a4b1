package dev.cloche.dist;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.jar.JarFile;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;

/**
 * Takes the native libraries out of their jars beforehand. Left to themselves, their Java sides unpack them into the
 * temporary directory at each start, which costs 40 to 200 ms and leaves files behind when a program is killed.
 */
final class NativeLibraries {
    private NativeLibraries() {}

    /** Each library under the name that the launcher passes on. */
    static void extract(Path lib, Path target) throws IOException {
        extract(
                lib,
                "sqlite-jdbc-",
                "org/sqlite/native/Linux/x86_64/libsqlitejdbc.so",
                target.resolve("libsqlitejdbc.so"));
        extract(lib, "zstd-jni-", "linux/amd64/libzstd-jni-VERSION.so", target.resolve("libzstd-jni.so"));
    }

    private static void extract(Path lib, String artifact, String pattern, Path target) throws IOException {
        Path file = find(lib, artifact);
        String name = file.getFileName().toString();
        String version = name.substring(artifact.length(), name.length() - ".jar".length());
        try (JarFile jar = new JarFile(file.toFile())) {
            ZipEntry entry = jar.getEntry(pattern.replace("VERSION", version));
            if (entry == null) {
                throw new IOException(name + " holds no library for Linux on x86-64");
            }
            try (InputStream in = jar.getInputStream(entry)) {
                Files.copy(in, target);
            }
        }
    }

    private static Path find(Path lib, String artifact) throws IOException {
        try (Stream<Path> jars = Files.list(lib)) {
            return jars.filter(jar -> jar.getFileName().toString().startsWith(artifact))
                    .findFirst()
                    .orElseThrow(() -> new IOException("no " + artifact + "*.jar among the dependencies"));
        }
    }
}
