package dev.cloche.cli.sandbox;

import dev.cloche.Cloche;
import dev.cloche.Sandbox;
import dev.cloche.cli.terminal.ExitCodes;
import dev.cloche.cli.terminal.PortText;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

@Command(
        name = "publish",
        customSynopsis = "cloche publish [OPTIONS] SANDBOX [ADDR:][HOST:]GUEST...",
        description = {
            "Publish TCP ports of a sandbox that runs, until it ends or unpublish takes them back.",
            "",
            "The sandbox needs no network, and no process has to stay. Without ADDR only this host's programs can connect;"
                    + " without HOST, or with 0, it is any free port, which is printed. What listens in the sandbox sees a peer"
                    + " that is no loopback address, unless it trusts all addresses of its own machine.",
            ""
        },
        footerHeading = "%nExamples:%n",
        footer = {"  cloche publish web 8080:80", "  cloche publish db 5432:5432 127.0.0.1:0:9187"})
final class PublishCommand implements Callable<Integer> {
    @Parameters(index = "0", paramLabel = "SANDBOX", description = "Name of the sandbox.")
    private String name = "";

    @Parameters(
            index = "1..*",
            arity = "1..*",
            paramLabel = "PORT",
            description = "The ports, or ranges like 8000-8010:8000-8010.")
    private List<String> texts = new ArrayList<>();

    @Override
    public Integer call() {
        try (Cloche cloche = Cloche.open();
                Sandbox sandbox = cloche.connect(name)) {
            ForwardCommand.ports(texts)
                    .forEach(port ->
                            PortText.of(List.of(sandbox.ports().publish(port))).forEach(System.out::println));
        }
        return ExitCodes.OK;
    }
}
