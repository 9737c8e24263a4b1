package dev.cloche.release;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;

/**
 * Compares the Maven repository that a release wrote with what is to be published: each artefact that the BOM names, the
 * BOM itself and the parent of all. Names each file that is missing, that is not what it should be, or that is not to be
 * published; exit code 1 if there is one.
 */
final class CheckRepository {
    private static final List<String> JAR =
            List.of(".jar", "-sources.jar", "-javadoc.jar", "-cyclonedx.json", "-cyclonedx.xml", ".pom");
    private static final List<String> POM = List.of(".pom");

    private final Path group;
    private final String version;
    private final boolean signed;
    private final Set<Path> expected = new TreeSet<>();
    private final List<String> faults = new ArrayList<>();

    private CheckRepository(Path repository, String version, boolean signed) {
        this.group = repository.resolve("dev/cloche");
        this.version = version;
        this.signed = signed;
    }

    public static void main(String[] args) throws IOException {
        if (args.length != 3) {
            System.err.println("usage: CheckRepository REPOSITORY VERSION BOM");
            System.exit(2);
        }
        Path repository = Path.of(args[0]).toAbsolutePath().normalize();
        CheckRepository check = new CheckRepository(repository, args[1], System.getenv("MAVEN_GPG_KEY") != null);
        int artefacts = check.compare(Poms.read(Path.of(args[2])));
        check.faults.forEach(System.err::println);
        if (!check.faults.isEmpty()) {
            System.err.println("check-repository: " + check.faults.size() + " faults in " + repository);
            System.exit(1);
        }
        System.out.println("check-repository: " + artefacts + " artefacts, " + check.expected.size() + " files");
    }

    private int compare(Poms.Pom bom) throws IOException {
        Map<String, List<String>> artefacts = new TreeMap<>();
        bom.managed().forEach(name -> artefacts.put(name, JAR));
        artefacts.computeIfPresent(
                Contents.RUNTIME,
                (_, endings) -> endings.stream()
                        .filter(ending -> !ending.equals("-cyclonedx.xml"))
                        .toList());
        artefacts.put("cloche-bom", POM);
        artefacts.put("cloche-parent", POM);
        for (Map.Entry<String, List<String>> artefact : artefacts.entrySet()) {
            compare(artefact.getKey(), artefact.getValue(), artefacts.keySet());
        }
        try (Stream<Path> files = Files.walk(group)) {
            files.filter(Files::isRegularFile)
                    .filter(file -> !file.getFileName().toString().startsWith("maven-metadata.xml"))
                    .filter(file -> !expected.contains(file))
                    .filter(file -> !file.getParent().getParent().endsWith("cloche-parent")
                            || !file.getFileName().toString().contains("-cyclonedx."))
                    .forEach(file -> faults.add(file + ": is not to be published"));
        }
        return artefacts.size();
    }

    private void compare(String name, List<String> endings, Set<String> published) throws IOException {
        Path directory = group.resolve(name).resolve(version);
        String base = name + "-" + Poms.deployedVersion(directory, version);
        for (String ending : endings) {
            Path file = directory.resolve(base + ending);
            expected.add(file);
            if (!Files.isRegularFile(file)) {
                faults.add(file + ": is missing");
                continue;
            }
            Contents.faults(file, ending, name).forEach(fault -> faults.add(file + ": " + fault));
            companion(file, ".md5", "MD5");
            companion(file, ".sha1", "SHA-1");
            companion(file, ".asc", null);
        }
        Path pom = directory.resolve(base + ".pom");
        if (Files.isRegularFile(pom)) {
            Poms.faults(Poms.read(pom), published).forEach(fault -> faults.add(pom + ": " + fault));
        }
    }

    /** Checksums are right; a signature is there if there is a key to make it with. */
    private void companion(Path file, String ending, String algorithm) throws IOException {
        Path companion = file.resolveSibling(file.getFileName() + ending);
        if (algorithm == null && !signed) {
            return;
        }
        for (String of : algorithm == null ? List.of("", ".md5", ".sha1") : List.of("")) {
            expected.add(companion.resolveSibling(companion.getFileName() + of));
        }
        if (!Files.isRegularFile(companion)) {
            faults.add(companion + ": is missing");
        } else if (algorithm != null && !Files.readString(companion).strip().equals(Contents.digest(file, algorithm))) {
            faults.add(companion + ": is that of another file");
        }
    }
}
