package dev.cloche.cli.sandbox;

import dev.cloche.Cloche;
import dev.cloche.Sandbox;
import dev.cloche.cli.terminal.ExitCodes;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

@Command(
        name = "unpublish",
        customSynopsis = "cloche unpublish [OPTIONS] SANDBOX [ADDR:]HOST:GUEST...",
        description = {
            "Take back ports that lead into a sandbox by publish, or by run -p without a network; connections go on.",
            "",
            "One that is not there does not matter. Ports that were published with --network user stay as long as it runs.",
            ""
        },
        footerHeading = "%nExamples:%n",
        footer = "  cloche unpublish web 8080:80")
final class UnpublishCommand implements Callable<Integer> {
    @Parameters(index = "0", paramLabel = "SANDBOX", description = "Name of the sandbox.")
    private String name = "";

    @Parameters(index = "1..*", arity = "1..*", paramLabel = "PORT", description = "The ports, as publish takes them.")
    private List<String> texts = new ArrayList<>();

    @Override
    public Integer call() {
        try (Cloche cloche = Cloche.open();
                Sandbox sandbox = cloche.connect(name)) {
            ForwardCommand.ports(texts).forEach(sandbox.ports()::unpublish);
        }
        return ExitCodes.OK;
    }
}
