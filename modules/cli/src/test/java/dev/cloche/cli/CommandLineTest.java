package dev.cloche.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cloche.cli.pool.MakerCommand;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;
import picocli.CommandLine.Model.PositionalParamSpec;
import picocli.CommandLine.ParseResult;

class CommandLineTest {
    @Test
    void theProgramThatMakesTemplatesIsThisOne() {
        assertThat(MakerCommand.PROGRAM).isEqualTo(Main.class.getName());
    }

    @Test
    void whatFollowsTheImageBelongsToTheGuestsCommand() {
        ParseResult run = parse("run", "--rm", "-e", "A=1", "base", "--", "sh", "-c", "--name", "--", "-e");
        assertThat(run.matchedOptionValue("-e", List.of())).containsExactly("A=1");
        assertThat(run.hasMatchedOption("--name")).isFalse();
        assertThat(positionals(run)).containsExactly("base", "--", "sh", "-c", "--name", "--", "-e");
    }

    @Test
    void theDoubleDashMayBeLeftOut() {
        assertThat(positionals(parse("run", "base", "ls", "-l"))).containsExactly("base", "ls", "-l");
        assertThat(positionals(parse("exec", "web", "ls", "-l"))).containsExactly("web", "ls", "-l");
    }

    @Test
    void theDoubleDashMayStandBeforeTheImage() {
        assertThat(positionals(parse("run", "--rm", "--", "base", "ls"))).containsExactly("base", "ls");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "run",
                "exec",
                "cp",
                "ps",
                "logs",
                "stats",
                "stop",
                "rm",
                "pull",
                "images",
                "login",
                "logout",
                "maintain",
                "system",
                "doctor",
                "version",
                "completion"
            })
    void everyCommandHasHelp(String name) {
        assertThat(Main.execute(name, "--help")).isZero();
        CommandLine command =
                Objects.requireNonNull(Main.commandLine().getSubcommands().get(name));
        assertThat(command.getUsageMessage()).contains("cloche " + name);
        assertThat(command.getCommandSpec().usageMessage().description()).isNotEmpty();
        command.getCommandSpec()
                .options()
                .forEach(option -> assertThat(option.description())
                        .as(option.longestName())
                        .isNotEmpty());
    }

    @ParameterizedTest
    @ValueSource(strings = {"image", "catalog", "system"})
    void everyCommandOfAGroupHasHelpAndTheGroupListsIt(String group) {
        CommandLine whole =
                Objects.requireNonNull(Main.commandLine(group).getSubcommands().get(group));
        assertThat(whole.getSubcommands()).isNotEmpty();
        whole.getSubcommands().forEach((name, command) -> {
            assertThat(Main.execute(group, name, "--help")).isZero();
            assertThat(command.getUsageMessage()).contains("cloche " + group + " " + name);
            assertThat(whole.getUsageMessage()).contains(name);
            command.getCommandSpec()
                    .options()
                    .forEach(option -> assertThat(option.description())
                            .as(option.longestName())
                            .isNotEmpty());
        });
    }

    @Test
    void misuseOfACommandOfAGroupIs2() {
        assertThat(Main.execute("image", "prune", "--keep", "lots")).isEqualTo(2);
        assertThat(Main.execute("image", "save", "base")).isEqualTo(2);
        assertThat(Main.execute("catalog", "restore", "one", "another")).isEqualTo(2);
    }

    @Test
    void misuseOfRunAndExecIs125AndOfTheOthers2() {
        assertThat(Main.execute("run", "--no-such-option", "base")).isEqualTo(125);
        assertThat(Main.execute("run")).isEqualTo(125);
        assertThat(Main.execute("run", "--memory", "lots", "base")).isEqualTo(125);
        assertThat(Main.execute("exec", "web")).isEqualTo(125);
        assertThat(Main.execute("machine", "exec", "dev")).isEqualTo(125);
        assertThat(Main.execute("machine", "shell", "--no-such-option")).isEqualTo(125);
        assertThat(Main.execute("ps", "--no-such-option")).isEqualTo(2);
        assertThat(Main.execute("no-such-command")).isEqualTo(2);
    }

    @Test
    void everyCommandGoesByTheNameThatItHasInTheTable() {
        Map<String, CommandLine> names = new LinkedHashMap<>(Main.commandLine().getSubcommands());
        names.entrySet()
                .removeIf(entry ->
                        List.of(entry.getValue().getCommandSpec().aliases()).contains(entry.getKey()));
        assertThat(names.keySet()).containsExactlyElementsOf(Commands.ALL.keySet());
    }

    private static ParseResult parse(String... arguments) {
        return Main.commandLine(arguments).parseArgs(arguments).subcommand();
    }

    private static List<String> positionals(ParseResult result) {
        List<String> words = new ArrayList<>();
        for (PositionalParamSpec positional : result.commandSpec().positionalParameters()) {
            Object value = positional.getValue();
            if (value instanceof List<?> many) {
                many.forEach(word -> words.add(String.valueOf(word)));
            } else {
                words.add(String.valueOf(value));
            }
        }
        return words;
    }
}
