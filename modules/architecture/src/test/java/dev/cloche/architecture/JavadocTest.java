package dev.cloche.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Holds the Javadoc of all rooms: each public type has some, and that of a public method begins with what the method does. A type
 * may begin with what it is.
 */
class JavadocTest {
    private static final Path MODULES =
            Path.of("../..").toAbsolutePath().normalize().resolve("modules");
    private static final Pattern DOCUMENTED = Pattern.compile(
            "/\\*\\*((?:(?!\\*/).)*)\\*/\\s*(?:@[\\w.]+(?:\\([^)]*\\))?(?:\\s*//[^\\n]*)?\\s*)*([^\\n]*)",
            Pattern.DOTALL);
    private static final Pattern TYPE = Pattern.compile("\\b(class|interface|record|enum)\\b");
    private static final Pattern METHOD = Pattern.compile("^[^=]*[\\w>\\]] \\w+\\(.*");
    private static final Pattern VERB = Pattern.compile("[A-Z][a-z]+s\\b.*", Pattern.DOTALL);
    /** Words that end as verbs do. */
    private static final Set<String> NO_VERBS =
            Set.of("As", "This", "Its", "Always", "Bytes", "Files", "Images", "Milliseconds", "Nanoseconds", "Sockets");

    private static final Pattern TOP_LEVEL = Pattern.compile(
            "^public (?:final |abstract |sealed |non-sealed )*(?:class|interface|record|enum) ", Pattern.MULTILINE);

    @Test
    void everyPublicTypeHasSome() throws IOException {
        List<String> without = new ArrayList<>();
        for (Path source : sources()) {
            String text = Files.readString(source);
            Matcher type = TOP_LEVEL.matcher(text);
            // A command says what it is in its help text.
            if (type.find() && Stream.of("/**", "@Command(").noneMatch(text.substring(0, type.start())::contains)) {
                without.add(MODULES.relativize(source).toString());
            }
        }
        assertThat(without).as("say what it is, in which units and ranges").isEmpty();
    }

    @Test
    void thatOfAMethodBeginsWithAVerb() throws IOException {
        List<String> others = new ArrayList<>();
        int verbs = 0;
        for (Path source : sources()) {
            String text = Files.readString(source);
            boolean inInterface = Pattern.compile("^public (?:sealed |non-sealed )?interface", Pattern.MULTILINE)
                    .matcher(text)
                    .find();
            Matcher documented = DOCUMENTED.matcher(text);
            while (TOP_LEVEL.matcher(text).find() && documented.find()) {
                String first =
                        documented.group(1).replaceAll("\\s*\\n\\s*\\* ?", " ").strip();
                String declaration = documented.group(2);
                if (isMethod(declaration, inInterface) && !first.startsWith("@")) {
                    if (VERB.matcher(first).matches() && !NO_VERBS.contains(first.split("\\W", 2)[0])) {
                        verbs++;
                    } else {
                        others.add(source.getFileName() + ": " + first);
                    }
                }
            }
        }
        assertThat(verbs).isGreaterThan(2000);
        assertThat(others).as("begin with what it does: Returns, Sets, Waits").isEmpty();
    }

    private static boolean isMethod(String declaration, boolean inInterface) {
        boolean visible = declaration.startsWith("public ")
                || declaration.startsWith("protected ")
                || (inInterface && !declaration.startsWith("private "));
        return visible
                && METHOD.matcher(declaration).matches()
                && !TYPE.matcher(declaration).find();
    }

    private static List<Path> sources() throws IOException {
        try (Stream<Path> files = Files.walk(MODULES)) {
            List<Path> found = files.filter(file -> file.toString().endsWith(".java")
                            && MODULES.relativize(file).subpath(1, 4).equals(Path.of("src/main/java")))
                    .toList();
            assertThat(found).hasSizeGreaterThan(900);
            return found;
        }
    }
}
