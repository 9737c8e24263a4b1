package dev.cloche.release;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.parsers.ParserConfigurationException;
import org.w3c.dom.Element;
import org.w3c.dom.Node;
import org.xml.sax.SAXException;

/** Reads POMs, and what Maven Central wants to see in them. */
final class Poms {
    /** What a POM has itself or from its parent. */
    private static final List<String> INHERITED =
            List.of("url", "licenses/license/name", "developers/developer/name", "scm/connection", "scm/url");

    private Poms() {}

    /** A POM as it is written, without its parent. */
    record Pom(Element root) {
        /** Returns the artefacts of its {@code dependencyManagement}. */
        List<String> managed() {
            return all(root, "dependencyManagement/dependencies/dependency/artifactId")
                    .map(Node::getTextContent)
                    .toList();
        }

        boolean has(String path) {
            return all(root, path).anyMatch(node -> !node.getTextContent().isBlank());
        }
    }

    static Pom read(Path file) throws IOException {
        try {
            DocumentBuilderFactory factory = DocumentBuilderFactory.newInstance();
            factory.setFeature("http://apache.org/xml/features/disallow-doctype-decl", true);
            return new Pom(factory.newDocumentBuilder().parse(file.toFile()).getDocumentElement());
        } catch (ParserConfigurationException | SAXException e) {
            throw new IOException(file + " is no XML", e);
        }
    }

    /** Returns a sentence for each fault. */
    static List<String> faults(Pom pom, Set<String> published) {
        List<String> faults = new ArrayList<>();
        for (String path : List.of("name", "description")) {
            if (!pom.has(path)) {
                faults.add("has no " + path);
            }
        }
        boolean child = all(pom.root(), "parent/artifactId")
                .anyMatch(parent -> parent.getTextContent().equals("cloche-parent"));
        for (String path : INHERITED) {
            if (!child && !pom.has(path)) {
                faults.add("has no " + path);
            }
        }
        all(pom.root(), "dependencies/dependency")
                .filter(dependency -> text(dependency, "groupId").equals("dev.cloche"))
                .filter(dependency -> !Set.of("test", "provided").contains(text(dependency, "scope")))
                .map(dependency -> text(dependency, "artifactId"))
                .filter(artefact -> !published.contains(artefact))
                .forEach(artefact -> faults.add("needs " + artefact + ", which is not published"));
        return faults;
    }

    /** Returns the version in the names of the files: a snapshot has the time of its deployment there. */
    static String deployedVersion(Path directory, String version) throws IOException {
        Path metadata = directory.resolve("maven-metadata.xml");
        if (!version.endsWith("-SNAPSHOT") || !Files.exists(metadata)) {
            return version;
        }
        Element root = read(metadata).root();
        return version.replace(
                "SNAPSHOT",
                text(root, "versioning/snapshot/timestamp") + "-" + text(root, "versioning/snapshot/buildNumber"));
    }

    private static String text(Node node, String path) {
        return all(node, path).findFirst().map(Node::getTextContent).orElse("").strip();
    }

    private static Stream<Node> all(Node node, String path) {
        Stream<Node> found = Stream.of(node);
        for (String name : path.split("/")) {
            found = found.flatMap(
                    parent -> IntStream.range(0, parent.getChildNodes().getLength())
                            .mapToObj(parent.getChildNodes()::item)
                            .filter(child -> child.getNodeName().equals(name)));
        }
        return found;
    }
}
