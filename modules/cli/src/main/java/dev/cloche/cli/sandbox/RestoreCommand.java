package dev.cloche.cli.sandbox;

import dev.cloche.Cloche;
import dev.cloche.RestoreBuilder;
import dev.cloche.SandboxInfo;
import dev.cloche.base.EnumNames;
import dev.cloche.cli.option.FormatOption;
import dev.cloche.cli.terminal.ExitCodes;
import dev.cloche.cli.terminal.JsonOutput;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
        name = "restore",
        customSynopsis = "cloche restore [OPTIONS] SNAPSHOT",
        description = {
            "Make a sandbox that goes on where a snapshot was taken, detached, and print its name.",
            "",
            "It has an identity of its own, and the snapshot's image, memory, disk and network, but not its secrets. It ends when it is"
                    + " stopped. One from a snapshot of a disk boots, and runs its main command.",
            ""
        },
        footerHeading = "%nExamples:%n",
        footer = {"  cloche restore before-upgrade --name web2 -p 8081:80", "  cloche exec web2 -- cat /tmp/ready"})
final class RestoreCommand implements Callable<Integer> {
    @Mixin
    private ChildOptions options = new ChildOptions();

    @Option(
            names = {"-p", "--publish"},
            paramLabel = "[ADDR:][HOST:]GUEST[/udp]",
            description =
                    "Publish a port or a range of the guest, as with run. The original's are not published again.")
    private List<String> ports = new ArrayList<>();

    @Mixin
    private FormatOption format = new FormatOption();

    @Parameters(index = "0", paramLabel = "SNAPSHOT", description = "Name of the snapshot.")
    private String snapshot = "";

    @Override
    public Integer call() {
        try (Cloche cloche = Cloche.open()) {
            RestoreBuilder builder = cloche.restore(snapshot)
                    .keepRunning(options.keepRunning())
                    .keepSecrets(options.keepSecrets())
                    .waitForRoom(options.waitForRoom());
            options.secrets().give(builder::secret);
            String name = options.name();
            if (name != null) {
                builder.name(name).ephemeral(options.ephemeral());
            }
            ports.forEach(builder::publish);
            SandboxInfo restored = TemplateRun.told(builder::startDetached);
            if (format.json()) {
                JsonOutput.print(
                        System.out,
                        json -> json.object(() -> json.field("name", restored.name())
                                .field("snapshot", snapshot)
                                .field("status", EnumNames.of(restored.status()))
                                .field("ephemeral", restored.ephemeral())));
            } else {
                System.out.println(restored.name());
            }
        }
        return ExitCodes.OK;
    }
}
