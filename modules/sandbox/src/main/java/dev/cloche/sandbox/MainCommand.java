package dev.cloche.sandbox;

import java.util.List;

/**
 * What a sandbox runs at every start.
 *
 * @param words replace the image's own command where not empty; the image's entrypoint stays in front
 * @param options how it is run
 */
public record MainCommand(List<String> words, CommandOptions options) {
    public MainCommand {
        words = List.copyOf(words);
    }
}
