package dev.cloche.cli.terminal;

import java.util.List;
import java.util.regex.Pattern;

/**
 * Translates what the library advises into commands: it names calls of a {@code Cloche}, which users of the command line do
 * not have. Names of things stand between quotes in a call, and are a command's arguments.
 */
public final class CommandWords {
    private static final String NAME = "\\(\"(.*?)\"";

    /** A call, or a few words, and the command in place of it. Longer ones stand before those that they begin with. */
    record Word(Pattern library, String command) {
        static Word call(String call, String command) {
            return new Word(Pattern.compile(Pattern.quote(call)), command);
        }

        static Word of(String call, String rest, String command) {
            return new Word(Pattern.compile(Pattern.quote(call) + NAME + Pattern.quote(rest)), command);
        }
    }

    static final List<Word> WORDS = List.of(
            new Word(
                    Pattern.compile(Pattern.quote(
                                    "Call cloche.driveCommands() on a Cloche that stays open, and wait for it again: cloche.processes().await")
                            + NAME + ", …\\)"),
                    "Run: cloche process await $1"),
            Word.of("cloche.sandbox", ").command(…)", "cloche run $1 -- COMMAND"),
            Word.call("cloche.sandbox(…).waitForRoom(…)", "cloche run --wait-for-room"),
            Word.call("cloche.sandbox(…).detached()", "cloche run -d"),
            Word.call("do not make it ephemeral", "leave out --rm"),
            Word.call("the network NONE", "--network none"),
            Word.of("cloche.sandboxes().remove", ", true)", "cloche rm --force $1"),
            Word.of("cloche.sandboxes().remove", ", false)", "cloche rm $1"),
            Word.call("cloche.sandboxes().remove(…)", "cloche rm"),
            Word.call("cloche.sandboxes().list()", "cloche ps -a"),
            Word.of("cloche.sandboxes().start", ")", "cloche start $1"),
            Word.of("cloche.sandboxes().stop", ", …)", "cloche stop $1"),
            Word.of("cloche.sandboxes().resume", ")", "cloche resume $1"),
            Word.of("cloche.sandboxes().inspect", ")", "cloche inspect $1"),
            Word.call("cloche.sandboxes().deadline(…)", "cloche extend --from-now"),
            Word.call("cloche.snapshots().list()", "cloche snapshot ls"),
            Word.of("cloche.snapshots().remove", ")", "cloche snapshot rm $1"),
            Word.call("cloche.templates().list()", "cloche template ls"),
            Word.call("cloche.templates().prune(…)", "cloche template prune"),
            Word.call("cloche.pools().list()", "cloche pool ls"),
            Word.call("cloche.pools().pool(…).remove()", "cloche pool rm"),
            Word.call("cloche.images().list()", "cloche images"),
            Word.of("cloche.images().pull", ")", "cloche pull $1"),
            Word.call("cloche.images().pull(…)", "cloche pull"),
            Word.call("cloche.images().prune(…)", "cloche image prune"),
            Word.call("cloche.images().remove(…, true)", "cloche image rm -f"),
            Word.call("cloche.images().load(…)", "cloche image load ARCHIVE"),
            Word.call("cloche.images().save(…)", "cloche image save"),
            Word.call("cloche.login(…)", "cloche login"),
            Word.call("cloche.machines().list()", "cloche machine ls"),
            Word.of("cloche.machines().get", ")", "cloche machine inspect $1"),
            Word.of("cloche.machines().start", ")", "cloche machine start $1"),
            Word.call("cloche.machines().start(…)", "cloche machine start"),
            Word.of("cloche.machines().stop", ", …)", "cloche machine stop $1"),
            Word.of("cloche.machines().connect", ")", "cloche machine shell $1"),
            Word.of("cloche.machines().remove", ", true)", "cloche machine rm --force $1"),
            Word.of("cloche.machines().remove", ", false)", "cloche machine rm $1"),
            Word.of("cloche.machines().replaceConfiguration", ", …)", "cloche machine edit $1"),
            new Word(
                    Pattern.compile("have the agent as its init: cloche\\.machines\\(\\)\\.change" + NAME + ", …\\)"),
                    "have the agent as its init: cloche machine set $1 --init agent"),
            Word.of("cloche.machines().adopt", ")", "cloche machine adopt $1"),
            Word.of("cloche.machines().copy", ", …)", "cloche machine clone $1 NEW"),
            Word.call("cloche.machines().copy(…)", "cloche machine clone"),
            Word.call("cloche.machines().export(…)", "cloche machine export"),
            Word.call("cloche.processes().list(true)", "cloche process ls"),
            Word.call("cloche.processes().command(…)", "cloche exec --detach"),
            Word.call("cloche.maintain()", "cloche maintain"),
            Word.call("; Cloche.isSupported() tells before", ""),
            Word.call("Cloche.examine(options)", "cloche doctor"),
            Word.call("Cloche.catalog(options).diskUsage()", "cloche system df"),
            Word.call("Cloche.catalog(options).prune(…)", "cloche system prune"),
            Word.call("Cloche.catalog(options).restoreLatest()", "cloche catalog restore"),
            Word.call("Cloche.catalog(options).restore(…)", "cloche catalog restore"),
            Word.call("Cloche.catalog(options).backup(…)", "cloche catalog backup"));

    private CommandWords() {}

    /** Returns the text with commands in place of calls; a text without any as it is. */
    public static String of(String text) {
        String commands = text;
        for (Word word : WORDS) {
            commands = word.library().matcher(commands).replaceAll(word.command());
        }
        return commands;
    }
}
