package dev.cloche.cli.sandbox;

import dev.cloche.Cloche;
import dev.cloche.SandboxInfo;
import dev.cloche.SandboxList;
import dev.cloche.SandboxQuery;
import dev.cloche.base.EnumNames;
import dev.cloche.cli.option.FormatOption;
import dev.cloche.cli.terminal.Age;
import dev.cloche.cli.terminal.ExitCodes;
import dev.cloche.cli.terminal.JsonOutput;
import dev.cloche.cli.terminal.PortText;
import dev.cloche.cli.terminal.Table;
import dev.cloche.sandbox.Orphan;
import dev.cloche.sandbox.Termination;
import dev.cloche.vm.VmHindrance;
import java.io.PrintStream;
import java.time.Clock;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

@Command(name = "ps", description = "List the sandboxes that run, the newest first.")
final class PsCommand implements Callable<Integer> {
    private static final int PAGE = 500;
    private static final int COMMAND_WIDTH = 40;

    @Option(
            names = {"-a", "--all"},
            description = "Also those that have ended, or were not started yet.")
    private boolean all;

    @Option(
            names = {"-f", "--filter"},
            paramLabel = "KEY=VALUE",
            description =
                    "Only sandboxes with this status (status=…, any of several), label (label=KEY or label=KEY=VALUE, all"
                            + " of several) or image as it was given (image=…). May be repeated.")
    private List<String> filters = new ArrayList<>();

    @Option(names = "--limit", paramLabel = "N", description = "At most the N newest.")
    private @Nullable Integer limit;

    @Mixin
    private FormatOption format = new FormatOption();

    @Override
    public Integer call() {
        try (Cloche cloche = Cloche.open()) {
            print(found(cloche, SandboxFilters.query(filters, all)), System.out);
            tellOfUnrecorded(cloche.unrecordedVms());
        }
        return ExitCodes.OK;
    }

    /** A page may be shorter than its limit although there are more. */
    private List<SandboxInfo> found(Cloche cloche, SandboxQuery query) {
        int wanted = limit == null ? Integer.MAX_VALUE : limit;
        SandboxList page = cloche.sandboxes().list(query.limit(Math.min(wanted, PAGE)));
        List<SandboxInfo> found = new ArrayList<>(page.sandboxes());
        while (page.next().isPresent() && found.size() < wanted) {
            page = cloche.sandboxes()
                    .list(query.limit(Math.min(wanted - found.size(), PAGE))
                            .before(page.next().getAsLong()));
            found.addAll(page.sandboxes());
        }
        return found;
    }

    /** They have no name by which another command could be told of them. */
    private static void tellOfUnrecorded(List<Orphan> vms) {
        long running = vms.stream().filter(Orphan::live).count();
        if (running > 0) {
            System.err.println((running == 1 ? "cloche: A VM runs" : "cloche: " + running + " VMs run")
                    + " that no sandbox has, because the records were lost or restored.\n"
                    + "        'cloche maintain --orphans --dry-run' lists what no record has; 'cloche catalog restore' may bring"
                    + " the records back.\n"
                    + "        What no copy of them knows can only be ended; docs/operations.md says how its files are taken from its"
                    + " disk before.");
        }
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
                    status(sandbox, clock),
                    String.join(", ", PortText.of(sandbox.ports())));
        }
        table.print(out);
        for (SandboxInfo sandbox : sandboxes) {
            sandbox.hindrance()
                    .ifPresent(why -> System.err.println(Table.clean(
                            "cloche: " + sandbox.name() + " is " + hindered(sandbox) + ". " + why.remedy())));
        }
    }

    private static void write(JsonOutput json, SandboxInfo sandbox) {
        json.object(() -> {
            json.field("id", sandbox.id())
                    .field("name", sandbox.name())
                    .field("image", sandbox.image())
                    .field("command", sandbox.command())
                    .field("status", EnumNames.of(sandbox.status()))
                    .field("ephemeral", sandbox.ephemeral())
                    .field("detached", sandbox.detached())
                    .field("memoryMib", sandbox.memoryMib())
                    .field("cpus", sandbox.cpus())
                    .field("createdAt", sandbox.createdAt());
            TerminationFields.write(json, sandbox.termination());
            json.field("ports", PortText.of(sandbox.ports()))
                    .field("hindrance", sandbox.hindrance().map(EnumNames::of))
                    .field("remedy", sandbox.hindrance().map(VmHindrance::remedy))
                    .field("deadline", sandbox.deadline().map(Instant::toString));
        });
    }

    /** Returns the status, with what hinders the sandbox. */
    static String hindered(SandboxInfo sandbox) {
        return EnumNames.of(sandbox.status())
                + sandbox.hindrance()
                        .map(why -> " (" + EnumNames.of(why).replace('-', ' ') + ")")
                        .orElse("");
    }

    private static String status(SandboxInfo sandbox, Clock clock) {
        if (sandbox.hindrance().isPresent()) {
            return hindered(sandbox);
        }
        if (sandbox.deadline().isPresent()) {
            return EnumNames.of(sandbox.status()) + " (ends "
                    + Age.until(sandbox.deadline().get(), clock) + ")";
        }
        return EnumNames.of(sandbox.status())
                + sandbox.termination().map(end -> " (" + how(end) + ")").orElse("");
    }

    private static String how(Termination end) {
        if (end.exitCode().isPresent()) {
            return "exit " + end.exitCode().getAsInt();
        }
        return end.exitSignal().isPresent() ? "signal " + end.exitSignal().getAsInt() : TerminationFields.reason(end);
    }

    private static String shortened(String command) {
        return command.length() <= COMMAND_WIDTH ? command : command.substring(0, COMMAND_WIDTH - 1) + "…";
    }
}
