package dev.cloche.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cloche.Cloche;
import java.io.IOException;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Holds the texts of the library to its own words: users who have the jars alone have neither commands nor a checkout. */
class RemediesTest {
    private static final Path MODULES = Path.of("..").toAbsolutePath().normalize();

    /** The modules that are programs. */
    private static final Set<String> PROGRAMS = Set.of("cli", "bench", "release", "architecture");

    private static final Pattern COMMENT = Pattern.compile("/\\*.*?\\*/|(?m)^\\s*//.*$", Pattern.DOTALL);
    private static final Pattern TEXT = Pattern.compile("\"((?:\\\\.|[^\"\\\\\\n])*)\"");
    /** A command line, an option of one, a script of a checkout. */
    private static final Pattern COMMAND =
            Pattern.compile("\\bcloche (?!machine $)[a-z]+|[ (`']\\./[a-z]+|[Ll]eave out --|give --");

    private static final Pattern CALL =
            Pattern.compile("\\b[cC]loche\\.([a-z]\\w*)\\((?:[^()\"\\\\]*)\\)(?:\\.([a-z]\\w*)\\()?");

    @Test
    void noTextOfTheLibraryNamesACommand() throws IOException {
        List<String> commands = new ArrayList<>();
        for (Source source : sources()) {
            Matcher text = TEXT.matcher(source.text());
            while (text.find()) {
                if (COMMAND.matcher(text.group(1)).find()) {
                    commands.add(source.file() + ": " + text.group());
                }
            }
        }
        assertThat(commands).as("say it in calls of the library").isEmpty();
    }

    @Test
    void theCallsThatTheyNameExist() throws IOException {
        List<String> missing = new ArrayList<>();
        int found = 0;
        for (Source source : sources()) {
            Matcher text = TEXT.matcher(source.text());
            while (text.find()) {
                Matcher call = CALL.matcher(text.group(1));
                while (call.find()) {
                    found++;
                    if (!exists(call.group(1), call.group(2))) {
                        missing.add(source.file() + ": " + call.group());
                    }
                }
            }
        }
        assertThat(missing).isEmpty();
        assertThat(found).isGreaterThan(40);
    }

    private static boolean exists(String method, String inner) {
        List<Method> own = named(Cloche.class, method);
        return !own.isEmpty()
                && (inner == null
                        || own.stream()
                                .anyMatch(first ->
                                        !named(first.getReturnType(), inner).isEmpty()));
    }

    private static List<Method> named(Class<?> type, String name) {
        return Arrays.stream(type.getMethods())
                .filter(method -> method.getName().equals(name))
                .toList();
    }

    private record Source(Path file, String text) {}

    private static List<Source> sources() throws IOException {
        List<Source> sources = new ArrayList<>();
        try (Stream<Path> files = Files.walk(MODULES)) {
            for (Path file : files.filter(path -> path.toString().endsWith(".java"))
                    .filter(path -> path.toString().contains("/src/main/"))
                    .toList()) {
                Path relative = MODULES.relativize(file);
                if (!PROGRAMS.contains(relative.getName(0).toString())) {
                    sources.add(new Source(
                            relative, COMMENT.matcher(Files.readString(file)).replaceAll("")));
                }
            }
        }
        return sources;
    }
}
