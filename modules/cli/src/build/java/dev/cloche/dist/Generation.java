package dev.cloche.dist;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.DigestInputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.Stream;

/** Describes one program as {@code ./cloche} starts it: these jars on this JVM, made by this version of the build. */
record Generation(String digest, Path java, List<Path> jars, Path buildDir, Path share) {
    static Generation of(Path java, List<Path> jars, Path buildDir, Path share) throws IOException {
        MessageDigest digest = sha256();
        // The release file names vendor, version and build; the library is the JVM that a cache is bound to.
        add(digest, java.resolve("release"));
        add(digest, java.resolve("lib/server/libjvm.so"));
        for (Path jar : jars) {
            add(digest, jar);
        }
        try (Stream<Path> recipe = Files.walk(buildDir)) {
            for (Path file : recipe.filter(Files::isRegularFile).sorted().toList()) {
                add(digest, file);
            }
        }
        // A cache that was trained without VMs is not the one that was trained with them.
        digest.update((byte) (Files.isDirectory(share) ? 1 : 0));
        return new Generation(HexFormat.of().formatHex(digest.digest(), 0, 12), java, jars, buildDir, share);
    }

    List<String> classPath() {
        return names(jars);
    }

    static List<String> names(List<Path> jars) {
        return jars.stream().map(jar -> jar.getFileName().toString()).toList();
    }

    /** Makes its files in an empty directory, which may be renamed afterwards: the cache does not mind. */
    void make(Path home) throws IOException, InterruptedException {
        copy(jars, buildDir, home);
        train(java, classPath(), share, home);
    }

    /** Copies all that is trained. */
    static void copy(List<Path> jars, Path buildDir, Path home) throws IOException {
        Path lib = Files.createDirectory(home.resolve("lib"));
        for (Path jar : jars) {
            ModernClasses.copy(jar, lib.resolve(jar.getFileName()));
        }
        NativeLibraries.extract(lib, Files.createDirectory(home.resolve("native")));
        Files.copy(buildDir.resolve("jvm.options"), home.resolve("jvm.options"));
    }

    /** Makes the cache of what was copied. */
    static void train(Path java, List<String> names, Path share, Path home) throws IOException, InterruptedException {
        List<Path> classPath = names.stream().map(home.resolve("lib")::resolve).toList();
        Path options = home.resolve("jvm.options");
        AotCache.record(java, options, classPath, share, home.resolve("native"), home.resolve("cloche.aot"));
    }

    private static void add(MessageDigest digest, Path file) throws IOException {
        digest.update((file.getFileName() + "\n" + Files.size(file) + "\n").getBytes(StandardCharsets.UTF_8));
        try (DigestInputStream in = new DigestInputStream(Files.newInputStream(file), digest)) {
            in.transferTo(OutputStream.nullOutputStream());
        }
    }

    private static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError("every JDK has SHA-256", e);
        }
    }
}
