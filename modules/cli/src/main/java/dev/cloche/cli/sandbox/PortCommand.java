package dev.cloche.cli.sandbox;

import dev.cloche.Cloche;
import dev.cloche.base.ClocheException;
import dev.cloche.cli.terminal.ExitCodes;
import dev.cloche.cli.terminal.PortText;
import dev.cloche.vm.PublishedPort;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

@Command(
        name = "port",
        description = {
            "Print where the published ports of a sandbox are.",
            "",
            "With a port of the sandbox only the end of this host, as ADDRESS:PORT; exit code 1 if it is not published.",
            ""
        },
        footerHeading = "%nExamples:%n",
        footer = {"  cloche port web", "  curl http://$(cloche port web 80)/"})
final class PortCommand implements Callable<Integer> {
    @Parameters(index = "0", paramLabel = "SANDBOX", description = "Name of the sandbox.")
    private String name = "";

    @Parameters(
            index = "1",
            arity = "0..1",
            paramLabel = "PORT[/udp]",
            description = "A port of the sandbox, or a range like 8000-8010.")
    private @Nullable String port;

    @Override
    public Integer call() {
        List<PublishedPort> published;
        try (Cloche cloche = Cloche.open()) {
            published = cloche.sandboxes().inspect(name).info().ports();
        }
        if (port == null) {
            PortText.of(published).forEach(System.out::println);
            return ExitCodes.OK;
        }
        for (PublishedPort wanted : ForwardCommand.ports(List.of(port))) {
            List<PublishedPort> found = published.stream()
                    .filter(one -> one.guestPort() == wanted.guestPort() && one.protocol() == wanted.protocol())
                    .toList();
            if (found.isEmpty()) {
                throw new NotPublished(name, wanted);
            }
            found.forEach(one -> System.out.println(one.hostAddress() + ":" + one.hostPort()));
        }
        return ExitCodes.OK;
    }

    private static final class NotPublished extends ClocheException {
        NotPublished(String sandbox, PublishedPort wanted) {
            super(
                    "port.not-published",
                    "Port " + wanted.guestPort() + "/" + PortText.protocol(wanted) + " of " + sandbox
                            + " is not published.",
                    wanted.protocol() == PublishedPort.Protocol.TCP
                            ? "Publish it: cloche publish " + sandbox + " " + wanted.guestPort()
                            : "UDP is published at the start: cloche run -p " + wanted.guestPort() + "/udp",
                    null);
        }
    }
}
