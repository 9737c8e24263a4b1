package dev.cloche.cli.pool;

import dev.cloche.ClocheOptions;
import dev.cloche.sandbox.TemplateMaking;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Has templates made and pools filled by this program once more, in the background: a command must not wait for what only the next one needs. */
public final class MakerCommand {
    /** The main class of this program, which is above this package. */
    public static final String PROGRAM = "dev.cloche.cli.Main";

    private static final Path OWN = Path.of("/proc/self/cmdline");

    private MakerCommand() {}

    /** Returns the environment's options for a command that may start a sandbox. */
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

    /** Reads the command line of this JVM: nothing is made in the background if that is another program. */
    static TemplateMaking of(String... commandLine) {
        List<String> words = new ArrayList<>();
        for (String word : commandLine) {
            words.add(word);
            if (word.equals(PROGRAM)) {
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
