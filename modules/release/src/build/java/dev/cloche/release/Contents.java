package dev.cloche.release;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.DigestInputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;

/** What has to be in the files of an artefact. */
final class Contents {
    static final String RUNTIME = "cloche-runtime-linux-x86_64";
    private static final String RUNTIME_FILES = "META-INF/cloche/runtime/";
    /** What the SBOM of each runtime has to have. */
    private static final List<String> PARTS = List.of("pkg:deb/debian/linux-source-", "pkg:deb/debian/busybox-static@");

    private Contents() {}

    /** Returns a sentence for each fault. */
    static List<String> faults(Path file, String ending, String artefact) throws IOException {
        if (ending.startsWith("-cyclonedx")) {
            String sbom = Files.readString(file);
            return Stream.concat(Stream.of(artefact), artefact.equals(RUNTIME) ? PARTS.stream() : Stream.of())
                    .filter(name -> !sbom.contains(name))
                    .map(name -> "does not name " + name)
                    .toList();
        }
        if (!ending.endsWith(".jar")) {
            return List.of();
        }
        try (ZipFile jar = new ZipFile(file.toFile())) {
            if (ending.equals("-sources.jar")) {
                return holds(jar, artefact.equals(RUNTIME) ? ".patch" : ".java");
            }
            if (ending.equals("-javadoc.jar")) {
                return holds(jar, artefact.equals(RUNTIME) ? "README" : "index.html");
            }
            List<String> faults = new ArrayList<>(holds(jar, "META-INF/LICENSE"));
            if (artefact.equals(RUNTIME)) {
                faults.addAll(runtime(jar));
            } else {
                faults.addAll(holds(jar, ".class"));
            }
            return faults;
        }
    }

    private static List<String> holds(ZipFile jar, String ending) {
        return jar.stream().anyMatch(entry -> entry.getName().endsWith(ending))
                ? List.of()
                : List.of("holds no " + ending);
    }

    /** Each line of the index is a mode, a size, a SHA-256 and a path, but for the first. */
    private static List<String> runtime(ZipFile jar) throws IOException {
        ZipEntry index = jar.getEntry(RUNTIME_FILES + "index");
        if (index == null) {
            return List.of("holds no index of the runtime");
        }
        List<String> faults = new ArrayList<>();
        List<String> lines = new String(jar.getInputStream(index).readAllBytes(), StandardCharsets.UTF_8)
                .lines()
                .toList();
        for (String line : lines.subList(1, lines.size())) {
            String[] fields = line.split(" ", 4);
            ZipEntry file = jar.getEntry(RUNTIME_FILES + "files/" + fields[3]);
            if (file == null) {
                faults.add("lacks " + fields[3]);
            } else {
                try (InputStream in = jar.getInputStream(file)) {
                    if (!digest(in, "SHA-256").equals(fields[2])) {
                        faults.add("has another " + fields[3] + " than its index says");
                    }
                }
            }
        }
        return faults;
    }

    static String digest(Path file, String algorithm) throws IOException {
        try (InputStream in = Files.newInputStream(file)) {
            return digest(in, algorithm);
        }
    }

    private static String digest(InputStream in, String algorithm) throws IOException {
        try {
            DigestInputStream digested = new DigestInputStream(in, MessageDigest.getInstance(algorithm));
            digested.transferTo(OutputStream.nullOutputStream());
            return HexFormat.of().formatHex(digested.getMessageDigest().digest());
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError("every JDK has " + algorithm, e);
        }
    }
}
