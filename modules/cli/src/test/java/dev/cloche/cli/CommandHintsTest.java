package dev.cloche.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cloche.cli.terminal.CommandWords;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

/** Holds the hints of the command line to commands that exist, and the advice of the library to what it translates. */
class CommandHintsTest {
    private static final Path MODULES = Path.of("..").toAbsolutePath().normalize();
    private static final Pattern TEXT = Pattern.compile("\"((?:\\\\.|[^\"\\\\\\n])*)\"");
    private static final Pattern HINT = Pattern.compile("\\bcloche ([a-z]+(?: [^:;,.`')\\s]+)*)");
    private static final Pattern CALL = Pattern.compile("\\b[cC]loche\\.[a-z]\\w*\\(");
    /** A name, or another value, in the middle of a text. */
    private static final Pattern VALUE = Pattern.compile("\"\\s*\\+\\s*[\\w.()]+(?:\\s*\\+\\s*\")?");

    private static final Pattern JOIN = Pattern.compile("(?<!\\\\)\"\\s*\\+\\s*\"");

    @Test
    void eachHintNamesACommandThatExists() throws IOException {
        List<String> wrong = new ArrayList<>();
        int found = 0;
        for (Path file : sources("cli")) {
            Matcher text = TEXT.matcher(JOIN.matcher(Files.readString(file)).replaceAll(""));
            while (text.find()) {
                Matcher hint = HINT.matcher(text.group(1));
                while (hint.find()) {
                    found++;
                    mistake(hint.group(1).split(" ")).ifPresent(why -> wrong.add(file + ": " + hint.group() + why));
                }
            }
        }
        assertThat(wrong).isEmpty();
        assertThat(found).isGreaterThan(80);
    }

    private static Optional<String> mistake(String[] words) {
        CommandLine command = Main.commandLine(words).getSubcommands().get(words[0]);
        int next = 1;
        if (command != null && Commands.GROUPS.containsKey(words[0]) && words.length > 1) {
            command = command.getSubcommands().get(words[next++]);
        }
        if (command == null) {
            return Optional.of(": there is no such command");
        }
        for (; next < words.length && !words[next].equals("--"); next++) {
            String option = words[next].replaceAll("=.*", "");
            if (option.startsWith("--") && command.getCommandSpec().findOption(option) == null) {
                return Optional.of(": there is no option " + option);
            }
            if (option.matches("-[a-z]+")) {
                for (char letter : option.substring(1).toCharArray()) {
                    if (command.getCommandSpec().findOption(letter) == null) {
                        return Optional.of(": there is no option -" + letter);
                    }
                }
            }
        }
        return Optional.empty();
    }

    @Test
    void eachCallThatTheLibraryAdvisesHasACommand() throws IOException {
        List<String> untranslated = new ArrayList<>();
        int found = 0;
        for (String module :
                List.of("catalog", "cloche", "execution", "image", "machine", "process", "qemu", "sandbox", "vmm")) {
            for (Path file : sources(module)) {
                String source = JOIN.matcher(Files.readString(file)).replaceAll("");
                Matcher text = TEXT.matcher(
                        VALUE.matcher(source.replace("\\\"\"", "\\\"\" ")).replaceAll("x"));
                while (text.find()) {
                    if (CALL.matcher(text.group(1)).find()) {
                        found++;
                        String said = CommandWords.of(text.group(1).replaceAll("\\\\\"\\s*", "\""));
                        if (CALL.matcher(said).find()) {
                            untranslated.add(file + ": " + said);
                        }
                    }
                }
            }
        }
        assertThat(untranslated).isEmpty();
        assertThat(found).isGreaterThan(40);
    }

    private static List<Path> sources(String module) throws IOException {
        try (Stream<Path> files = Files.walk(MODULES.resolve(module).resolve("src/main/java"))) {
            return files.filter(path -> path.toString().endsWith(".java")).toList();
        }
    }
}
