package dev.cloche.cli.pool;

import dev.cloche.ClocheOptions;
import dev.cloche.TemplateMaking;
import dev.cloche.cli.Main;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Has templates made and pools filled by this program once more, in the background: a command must not wait for what only the next one needs. */
public final class MakerCommand {
    private static final Path OWN = Path.of("/proc/self/cmdline");

    private MakerCommand() {}

    /** The environment's options for a command that may start a sandbox. */
    public static ClocheOptions options() {
        ClocheOptions options = ClocheOptions.ofEnvironment();
        return options.templateMaking() instanceof TemplateMaking.Never
                ? options
                : options.withTemplateMaking(making());
    }

    private static TemplateMaking making() {
        try {
            return of(Files.readString(OWN, StandardCharsets.UTF_8).split("\0"));
        } catch (IOException e) {
            return new TemplateMaking.Never();
        }
    }

    /** From the command line of this JVM; nobody does so if that is another program. */
    static TemplateMaking of(String... commandLine) {
        List<String> words = new ArrayList<>();
        for (String word : commandLine) {
            words.add(word);
            if (word.equals(Main.class.getName())) {
                return new TemplateMaking.ByProcess(
                        with(words, "template", "make", "--quiet"), with(words, "pool", "fill", "--quiet"));
            }
        }
        return new TemplateMaking.Never();
    }

    private static List<String> with(List<String> program, String... arguments) {
        List<String> words = new ArrayList<>(program);
        words.addAll(List.of(arguments));
        return words;
    }
}
