package dev.cloche.cli;

import dev.cloche.Cloche;
import dev.cloche.PublishedPort;
import dev.cloche.SandboxInfo;
import java.io.PrintStream;
import java.time.Clock;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

@Command(name = "ps", description = "List the sandboxes that run, the newest first.")
final class PsCommand implements Callable<Integer> {
    private static final Set<String> ACTIVE = Set.of("starting", "running", "draining");
    private static final int COMMAND_WIDTH = 40;

    @Option(
            names = {"-a", "--all"},
            description = "Also those that have ended.")
    private boolean all;

    @Mixin
    private FormatOption format = new FormatOption();

    @Override
    public Integer call() {
        try (Cloche cloche = Cloche.open()) {
            List<SandboxInfo> sandboxes = cloche.sandboxes().stream()
                    .filter(sandbox -> all || ACTIVE.contains(sandbox.status()))
                    .toList();
            print(sandboxes, System.out);
        }
        return ExitCodes.OK;
    }

    private void print(List<SandboxInfo> sandboxes, PrintStream out) {
        if (format.json()) {
            JsonOutput.print(out, json -> json.array(() -> sandboxes.forEach(sandbox -> write(json, sandbox))));
            return;
        }
        Table table = new Table("NAME", "IMAGE", "COMMAND", "CREATED", "STATUS", "PORTS");
        Clock clock = Clock.systemUTC();
        for (SandboxInfo sandbox : sandboxes) {
            table.row(
                    sandbox.name(),
                    sandbox.image(),
                    shortened(sandbox.command()),
                    Age.of(sandbox.createdAt(), clock),
                    status(sandbox),
                    String.join(", ", ports(sandbox)));
        }
        table.print(out);
    }

    private static void write(JsonOutput json, SandboxInfo sandbox) {
        json.object(() -> json.field("id", sandbox.id())
                .field("name", sandbox.name())
                .field("image", sandbox.image())
                .field("command", sandbox.command())
                .field("status", sandbox.status())
                .field("ephemeral", sandbox.ephemeral())
                .field("detached", sandbox.detached())
                .field("memoryMib", sandbox.memoryMib())
                .field("cpus", sandbox.cpus())
                .field("createdAt", sandbox.createdAt())
                .field("reason", sandbox.reason())
                .field("exitCode", sandbox.exitCode())
                .field("exitSignal", sandbox.exitSignal())
                .field("ports", ports(sandbox)));
    }

    private static List<String> ports(SandboxInfo sandbox) {
        return sandbox.ports().stream().map(PublishedPort::toString).toList();
    }

    private static String status(SandboxInfo sandbox) {
        if (sandbox.exitCode().isPresent()) {
            return sandbox.status() + " (exit " + sandbox.exitCode().getAsInt() + ")";
        }
        if (sandbox.exitSignal().isPresent()) {
            return sandbox.status() + " (signal " + sandbox.exitSignal().getAsInt() + ")";
        }
        return sandbox.status()
                + sandbox.reason().map(reason -> " (" + reason + ")").orElse("");
    }

    private static String shortened(String command) {
        return command.length() <= COMMAND_WIDTH ? command : command.substring(0, COMMAND_WIDTH - 1) + "…";
    }
}
