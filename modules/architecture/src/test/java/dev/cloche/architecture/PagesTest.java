package dev.cloche.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Holds pages that list things against the sources that have them. */
class PagesTest {
    private static final Path ROOT = Path.of("../..").toAbsolutePath().normalize();

    @Test
    void everyVariableOfOursIsOnThePageOfTheConfiguration() throws IOException {
        Set<String> inSources = new TreeSet<>();
        for (Path source : shippedSources()) {
            // In quotes: a name of a constant is none of a variable.
            Matcher variable = Pattern.compile("\"(CLOCHE_[A-Z_]+)\"").matcher(Files.readString(source));
            while (variable.find()) {
                inSources.add(variable.group(1));
            }
        }
        assertThat(inSources).contains("CLOCHE_HOME", "CLOCHE_ACCELERATOR");
        String page = Files.readString(ROOT.resolve("docs/configuration.md"));
        assertThat(inSources).allSatisfy(name -> assertThat(page).contains("| `" + name + "` |"));
    }

    @Test
    void everyPageIsInTheIndex() throws IOException {
        String index = Files.readString(ROOT.resolve("docs/README.md"));
        try (Stream<Path> pages = Files.list(ROOT.resolve("docs"))) {
            assertThat(pages.map(page -> page.getFileName().toString())
                            .filter(name -> name.endsWith(".md") && !name.equals("README.md")))
                    .isNotEmpty()
                    .allSatisfy(name -> assertThat(index).contains("](" + name + ")"));
        }
    }

    @Test
    void everyLinkBetweenPagesLeadsSomewhere() throws IOException {
        for (Path page : pages()) {
            Matcher link = Pattern.compile("]\\(([^)#: ]+)(?:#[^)]*)?\\)").matcher(Files.readString(page));
            while (link.find()) {
                assertThat(page.resolveSibling(link.group(1)).normalize())
                        .as("linked from " + ROOT.relativize(page))
                        .exists();
            }
        }
    }

    private static List<Path> pages() throws IOException {
        try (Stream<Path> docs = Files.walk(ROOT.resolve("docs"))) {
            return Stream.concat(
                            docs,
                            Stream.of("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "examples/README.md")
                                    .map(ROOT::resolve))
                    .filter(file -> file.toString().endsWith(".md"))
                    .toList();
        }
    }

    private static List<Path> shippedSources() throws IOException {
        try (Stream<Path> files = Files.walk(ROOT.resolve("modules"))) {
            return files.filter(file -> file.toString().contains("/src/main/java/")
                            && file.toString().endsWith(".java")
                            && !file.toString().contains("/modules/bench/"))
                    .toList();
        }
    }
}
