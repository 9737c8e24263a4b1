package dev.cloche.sandbox;

import java.util.List;
import java.util.Optional;

/**
 * Says what a sandbox runs at every start.
 *
 * @param words replace the image's own command where not empty; the image's entrypoint stays in front unless they are
 *     whole
 * @param options how it is run
 * @param stopSignal by which it is asked to end, if that is not the image's choice
 * @param whole whether the words are all of it, and nothing is taken of the image's entrypoint and command
 * @param defaults environment, working directory and user of this and every other command in the sandbox that says nothing
 *     else
 * @param stays whether none is run when it is detached, and it goes on until it is stopped
 */
public record MainCommand(
        List<String> words,
        CommandOptions options,
        Optional<StopSignal> stopSignal,
        boolean whole,
        CommandOptions defaults,
        boolean stays) {
    public MainCommand {
        words = List.copyOf(words);
    }

    /** Takes the image's choice of a signal, and its entrypoint. */
    public MainCommand(List<String> words, CommandOptions options) {
        this(words, options, Optional.empty(), false, CommandOptions.none(), false);
    }

    /** Returns the same, to be run in another way. */
    public MainCommand withOptions(CommandOptions value) {
        return new MainCommand(words, value, stopSignal, whole, defaults, stays);
    }

    /** Returns how it is run, with the defaults of its sandbox. */
    public CommandOptions effectiveOptions() {
        return options.withDefaults(defaults);
    }
}
