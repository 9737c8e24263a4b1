package dev.cloche.tools;

import dev.cloche.base.DurationText;
import java.time.Duration;

/**
 * Says what tools may take of a sandbox, and what a model gets to see. Immutable.
 *
 * <pre>{@code
 * ToolSettings settings = ToolSettings.defaults().withTimeout(Duration.ofMinutes(2)).withShownCharacters(4000);
 * }</pre>
 *
 * @param timeout the longest that one call may take, after which its command is killed; by default 60 s
 * @param shownCharacters how much of each output, of a file or of a list the model gets, 100 to 10,000,000; by default 16,000
 * @param outputLimit how many bytes a command may write to each of its outputs before it is killed, 1 to 1,073,741,824; by
 *     default 8 MiB
 * @param workingDirectory where commands start and relative paths begin, an absolute path; by default {@code /work}. Made if
 *     it is missing
 * @param user who runs the commands and has the files, as {@link dev.cloche.SandboxBuilder#user} takes it; by default empty: the
 *     commands as the sandbox says, the files root
 */
public record ToolSettings(
        Duration timeout, int shownCharacters, int outputLimit, String workingDirectory, String user) {
    private static final ToolSettings DEFAULTS = new ToolSettings(Duration.ofSeconds(60), 16_000, 8 << 20, "/work", "");

    public ToolSettings {
        require(
                timeout.isPositive(),
                "A timeout of " + DurationText.of(timeout) + " leaves no time.",
                "Choose a positive one.");
        require(
                shownCharacters >= 100 && shownCharacters <= 10_000_000,
                "A model cannot be shown " + shownCharacters + " characters of an output.",
                "Choose 100 to 10,000,000.");
        require(
                outputLimit >= 1 && outputLimit <= 1 << 30,
                "An output limit is 1 byte to 1 GiB, not " + outputLimit + " bytes.",
                "Choose one of that range.");
        require(
                workingDirectory.startsWith("/"),
                "The working directory \"" + workingDirectory + "\" is no absolute path.",
                "Begin it with a slash.");
    }

    private static void require(boolean fits, String sentence, String remedy) {
        if (!fits) {
            throw new ToolException.InvalidSettings(sentence, remedy);
        }
    }

    /** Returns the settings that hold where none are given. */
    public static ToolSettings defaults() {
        return DEFAULTS;
    }

    /** Returns the same with another longest time of a call. */
    public ToolSettings withTimeout(Duration value) {
        return new ToolSettings(value, shownCharacters, outputLimit, workingDirectory, user);
    }

    /** Returns the same with another length of what the model gets to see. */
    public ToolSettings withShownCharacters(int value) {
        return new ToolSettings(timeout, value, outputLimit, workingDirectory, user);
    }

    /** Returns the same with another size of an output that is too talkative. */
    public ToolSettings withOutputLimit(int bytes) {
        return new ToolSettings(timeout, shownCharacters, bytes, workingDirectory, user);
    }

    /** Returns the same with another directory to start in. */
    public ToolSettings withWorkingDirectory(String path) {
        return new ToolSettings(timeout, shownCharacters, outputLimit, path, user);
    }

    /** Returns the same with a user, who must be able to write to the working directory. */
    public ToolSettings withUser(String nameOrId) {
        return new ToolSettings(timeout, shownCharacters, outputLimit, workingDirectory, nameOrId);
    }
}
