package dev.cloche.cli.sandbox;

import dev.cloche.cli.option.CommandSettings;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Parameters;

/** The image of a sandbox that is about to be made, and what is to run in it. */
final class ImageArguments {
    @Parameters(
            index = "0",
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

    String image() {
        return image;
    }

    /** None: the image's own command. */
    String[] words() {
        return CommandSettings.words(command);
    }
}
