package dev.cloche.cli.image;

import dev.cloche.Cloche;
import dev.cloche.Sandbox;
import dev.cloche.cli.option.FormatOption;
import dev.cloche.cli.terminal.ExitCodes;
import dev.cloche.cli.terminal.JsonOutput;
import dev.cloche.image.LocalImage;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
        name = "commit",
        description = {
            "Make an image of a running sandbox: its image and one layer of what has changed; prints its digest.",
            "",
            "Not in it: what is mounted, /dev, /proc, /sys and /run with its secrets, sockets, and hosts, hostname,"
                    + " resolv.conf and machine-id of /etc. A file with several names becomes several files. With a disk (a"
                    + " name, or --disk) writes wait meanwhile; without one, each file is as it is when it is read.",
            ""
        },
        footerHeading = "%nExamples:%n",
        footer = {"  cloche commit build tools:1", "  cloche commit -m \"with curl\" build tools:2"})
public final class CommitCommand implements Callable<Integer> {
    @Option(
            names = {"-m", "--message"},
            paramLabel = "TEXT",
            description = "What the history of the image says of the layer.")
    private String message = "";

    @Mixin
    private FormatOption format = new FormatOption();

    @Parameters(index = "0", paramLabel = "SANDBOX", description = "Name of the sandbox.")
    private String name = "";

    @Parameters(
            index = "1",
            paramLabel = "IMAGE",
            description = "Name of the image, as in Docker; one that means another image is moved.")
    private String image = "";

    @Override
    public Integer call() {
        LocalImage made;
        try (Cloche cloche = Cloche.open();
                Sandbox sandbox = cloche.connect(name)) {
            made = sandbox.commit(image, message);
        }
        if (format.json()) {
            JsonOutput.print(System.out, json -> ImagesCommand.write(json, made));
        } else {
            System.out.println(made.summary().manifest());
        }
        return ExitCodes.OK;
    }
}
