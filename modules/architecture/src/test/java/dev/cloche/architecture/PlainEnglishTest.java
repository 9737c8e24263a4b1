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

/** Holds comments to plain English: they name the process, the caller or the thread, for a reader searches for these words. */
class PlainEnglishTest {
    private static final Path MODULES = Path.of("..").toAbsolutePath().normalize();
    /** The modules in whose comments no such word is left. */
    private static final List<String> DONE = List.of(
            "architecture",
            "base",
            "bench",
            "catalog",
            "cli",
            "erofs",
            "execution",
            "image",
            "linux",
            "machine",
            "pool",
            "process",
            "process-postgres",
            "process-testing",
            "qemu",
            "sandbox",
            "vm",
            "vm-testing",
            "vmm");

    private static final Pattern COMMENT = Pattern.compile("/\\*.*?\\*/|//[^\\n]*", Pattern.DOTALL);
    private static final Pattern VAGUE =
            Pattern.compile("\\b(nobody|somebody|anybody|whoever|whatever|whichever)\\b", Pattern.CASE_INSENSITIVE);

    @Test
    void commentsSayWhoActs() throws IOException {
        List<String> vague = new ArrayList<>();
        for (String module : DONE) {
            Path sources = MODULES.resolve(module).resolve("src");
            try (Stream<Path> files = Files.walk(sources)) {
                for (Path file :
                        files.filter(path -> path.toString().endsWith(".java")).toList()) {
                    vague.addAll(vagueComments(file));
                }
            }
        }
        assertThat(vague).as("name the process, the caller or the thread").isEmpty();
    }

    private static List<String> vagueComments(Path file) throws IOException {
        Matcher comment = COMMENT.matcher(Files.readString(file));
        List<String> found = new ArrayList<>();
        while (comment.find()) {
            if (VAGUE.matcher(comment.group()).find()) {
                found.add(MODULES.relativize(file) + ": " + comment.group());
            }
        }
        return found;
    }
}
