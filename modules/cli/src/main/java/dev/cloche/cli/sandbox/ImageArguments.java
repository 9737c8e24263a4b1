package dev.cloche.cli.sandbox;

import dev.cloche.cli.option.CommandSettings;
import dev.cloche.cli.terminal.UsageError;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import picocli.CommandLine.Parameters;

/** The image of a sandbox that is about to be made, and what is to run in it. */
final class ImageArguments {
    @Parameters(
            index = "0",
            arity = "0..1",
            paramLabel = "IMAGE",
            description =
                    "The image, as in Docker: debian, ghcr.io/x/y:tag, …; or the digest of one on this host, sha256:…, or the"
                            + " beginning of it.")
    private String image = "";

    @Parameters(
            index = "1..*",
            arity = "0..*",
            paramLabel = "COMMAND",
            description = "What to run instead of the image's own command; the image's entrypoint stays in front.")
    private List<String> command = new ArrayList<>();

    /** @throws UsageError if none was given */
    String image() {
        if (image.isEmpty()) {
            throw new UsageError("There is no image to run.", "Name one, as in: cloche run base -- echo hello");
        }
        return image;
    }

    /** Returns all words, for a sandbox that needs no image. */
    List<String> wordsWithoutImage() {
        return image.isEmpty()
                ? List.of()
                : Stream.concat(Stream.of(image), command.stream()).toList();
    }

    /** None: the image's own command. */
    String[] words() {
        return CommandSettings.words(command);
    }
}
