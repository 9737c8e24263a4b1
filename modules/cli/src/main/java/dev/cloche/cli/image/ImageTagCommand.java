package dev.cloche.cli.image;

import dev.cloche.Cloche;
import dev.cloche.cli.terminal.ExitCodes;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

@Command(name = "tag", description = "Give an image another name; a name that is taken is moved.")
public final class ImageTagCommand implements Callable<Integer> {
    @Parameters(index = "0", paramLabel = "IMAGE", description = "An image on this host.")
    private String image = "";

    @Parameters(index = "1", paramLabel = "NAME", description = "The other name.")
    private String name = "";

    @Override
    public Integer call() {
        try (Cloche cloche = Cloche.open()) {
            System.out.println(cloche.images().tag(image, name).reference());
        }
        return ExitCodes.OK;
    }
}
