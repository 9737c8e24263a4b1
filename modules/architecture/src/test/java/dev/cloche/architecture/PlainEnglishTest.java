package dev.cloche.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Holds comments and messages to plain English: they name the process, the caller or the thread, for a reader searches for
 * these words.
 */
class PlainEnglishTest {
    private static final Path ROOT = Path.of("../..").toAbsolutePath().normalize();
    private static final Path MODULES = ROOT.resolve("modules");
    /** The modules in whose comments no such word is left. */
    private static final List<String> DONE = List.of(
            "agent-sandbox",
            "architecture",
            "base",
            "bench",
            "catalog",
            "cli",
            "cloche",
            "erofs",
            "execution",
            "image",
            "interpreter",
            "junit",
            "langchain4j",
            "linux",
            "machine",
            "micrometer",
            "pool",
            "process",
            "process-postgres",
            "process-testing",
            "qemu",
            "sandbox",
            "spring-ai",
            "spring-boot-starter",
            "tools",
            "vm",
            "vm-testing",
            "vmm");

    private static final Pattern COMMENT = Pattern.compile("/\\*.*?\\*/|//[^\\n]*", Pattern.DOTALL);
    /** Texts of several words; a single one may be the name of a user. */
    private static final Pattern TEXT = Pattern.compile("\"(?:\\\\.|[^\"\\\\\\n])* (?:\\\\.|[^\"\\\\\\n])*\"");

    private static final Pattern VAGUE =
            Pattern.compile("\\b(nobody|somebody|anybody|whoever|whatever|whichever)\\b", Pattern.CASE_INSENSITIVE);

    @Test
    void commentsSayWhoActs() throws IOException {
        List<String> vague = new ArrayList<>();
        for (String module : DONE) {
            for (Path file : sources(MODULES.resolve(module).resolve("src"), "java")) {
                vague.addAll(vague(COMMENT, file));
            }
        }
        assertThat(vague).as("name the process, the caller or the thread").isEmpty();
    }

    @Test
    void messagesAndHelpTextsSayWhoActs() throws IOException {
        List<String> vague = new ArrayList<>();
        for (String module : DONE) {
            Path main = MODULES.resolve(module).resolve("src/main");
            for (Path file : Files.exists(main) ? sources(main, "java") : List.<Path>of()) {
                vague.addAll(vague(TEXT, file));
            }
        }
        assertThat(vague).as("name the process, the caller or the user").isEmpty();
    }

    @Test
    void theSourcesInCSayWhoActs() throws IOException {
        List<String> vague = new ArrayList<>();
        for (String program : List.of("guest/src", "guest/test", "guard/src", "guard/test")) {
            for (Path file : sources(ROOT.resolve(program), "c", "h")) {
                vague.addAll(vague(COMMENT, file));
                vague.addAll(vague(TEXT, file));
            }
        }
        assertThat(vague).as("name the process, the host or the command").isEmpty();
    }

    private static List<Path> sources(Path directory, String... endings) throws IOException {
        try (Stream<Path> files = Files.walk(directory)) {
            List<Path> found = files.filter(path -> Stream.of(endings)
                            .anyMatch(ending -> path.toString().endsWith("." + ending)))
                    .toList();
            assertThat(found).isNotEmpty();
            return found;
        }
    }

    /** Returns the parts of a file that are of this kind and have such a word. */
    private static List<String> vague(Pattern kind, Path file) throws IOException {
        Matcher part = kind.matcher(Files.readString(file));
        List<String> found = new ArrayList<>();
        while (part.find()) {
            if (VAGUE.matcher(part.group()).find()) {
                found.add(ROOT.relativize(file) + ": " + part.group());
            }
        }
        return found;
    }
}
