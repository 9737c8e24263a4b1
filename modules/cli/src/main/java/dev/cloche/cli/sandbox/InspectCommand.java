package dev.cloche.cli.sandbox;

import dev.cloche.Cloche;
import dev.cloche.SandboxInfo;
import dev.cloche.SandboxInspection;
import dev.cloche.base.DurationText;
import dev.cloche.base.EnumNames;
import dev.cloche.cli.option.DiskLimitOptions;
import dev.cloche.cli.option.FormatOption;
import dev.cloche.cli.terminal.ExitCodes;
import dev.cloche.cli.terminal.JsonOutput;
import dev.cloche.cli.terminal.PortText;
import dev.cloche.cli.terminal.Table;
import dev.cloche.sandbox.SandboxPolicies;
import dev.cloche.sandbox.StopSignal;
import dev.cloche.sandbox.Termination;
import dev.cloche.vm.VmHindrance;
import dev.cloche.vm.VmIsolation;
import java.io.PrintStream;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

@Command(
        name = "inspect",
        description = "Show all that is recorded of sandboxes: settings, status, and each run that is kept.")
final class InspectCommand implements Callable<Integer> {
    @Mixin
    private FormatOption format = new FormatOption();

    @Mixin
    private SandboxNames names = new SandboxNames();

    @Override
    public Integer call() {
        try (Cloche cloche = Cloche.open()) {
            List<SandboxInspection> found =
                    names.all().stream().map(cloche.sandboxes()::inspect).toList();
            if (format.json()) {
                JsonOutput.print(System.out, json -> json.array(() -> found.forEach(each -> write(json, each))));
            } else {
                found.forEach(each -> print(each, System.out));
            }
        }
        return ExitCodes.OK;
    }

    private static void write(JsonOutput json, SandboxInspection sandbox) {
        SandboxInfo info = sandbox.info();
        SandboxPolicies policies = sandbox.policies();
        json.object(() -> {
            json.field("id", info.id())
                    .field("name", info.name())
                    .field("image", info.image())
                    .field("manifest", sandbox.image())
                    .field("status", EnumNames.of(info.status()))
                    .field("ephemeral", info.ephemeral())
                    .field("createdAt", info.createdAt())
                    .field("memoryMib", info.memoryMib())
                    .field("cpus", info.cpus())
                    .field("diskMib", sandbox.diskMib())
                    .field("diskIops", policies.diskThrottle().iops())
                    .field("diskBytesPerSecond", policies.diskThrottle().bytesPerSecond())
                    .field("ports", PortText.of(info.ports()))
                    .field("hindrance", info.hindrance().map(EnumNames::of))
                    .field("remedy", info.hindrance().map(VmHindrance::remedy))
                    .field("deadline", info.deadline().map(Instant::toString));
            strings(json.name("labels"), sandbox.labels());
            json.name("policies")
                    .object(() -> json.field("maxDurationMillis", millis(policies.maxDuration()))
                            .field("idleTimeoutMillis", millis(policies.idleTimeout()))
                            .field("onDeadline", EnumNames.of(policies.onDeadline()))
                            .field("startTimeoutMillis", policies.startTimeout().toMillis())
                            .field("restart", policies.restart().toString())
                            .field("keptRuns", policies.keptRuns())
                            .field("isolation", policies.isolation().map(EnumNames::of)));
            isolation(json.name("isolation"), sandbox.isolation());
            json.field("restarts", sandbox.restarts());
            command(json.name("command"), sandbox.command());
            json.name("runs").array(() -> sandbox.runs().forEach(run -> write(json, run)));
        });
    }

    private static void command(JsonOutput json, Optional<SandboxInspection.Command> command) {
        // Without one, an empty object: what an older Cloche did not record.
        json.object(() -> command.ifPresent(main -> {
            json.field("words", main.words()).field("whole", main.whole());
            strings(json.name("environment"), main.environment());
            json.field("workingDirectory", main.workingDirectory())
                    .field("user", main.user())
                    .field("stopSignal", main.stopSignal().map(StopSignal::toString));
        }));
    }

    /** Of a sandbox that does not run, an empty object. */
    private static void isolation(JsonOutput json, Optional<VmIsolation> isolation) {
        json.object(() -> isolation.ifPresent(walls -> json.field("level", EnumNames.of(walls.level()))
                .field("missing", walls.missing())
                .field("denied", walls.denied())
                .name("group")
                .object(() -> walls.group().ifPresent(group -> group(json, group)))));
    }

    private static void group(JsonOutput json, VmIsolation.Group group) {
        json.field("path", group.path()).field("missing", group.missing()).field("memoryPeakBytes", group.memoryPeak());
    }

    static String words(VmIsolation walls) {
        return EnumNames.of(walls.level())
                + (walls.missing().isEmpty() ? "" : " (not more: " + walls.missing() + ")")
                + (walls.denied() == 0 ? "" : ", refused calls: " + walls.denied())
                + walls.group()
                        .filter(group -> group.path().isPresent())
                        .map(InspectCommand::words)
                        .orElse("");
    }

    private static String words(VmIsolation.Group group) {
        return ", in a control group" + (group.missing().isEmpty() ? "" : " without " + group.missing());
    }

    private static void strings(JsonOutput json, Map<String, String> values) {
        json.object(() -> new TreeMap<>(values).forEach(json::field));
    }

    private static void write(JsonOutput json, SandboxInspection.Run run) {
        json.object(() -> fields(json, run));
    }

    private static void fields(JsonOutput json, SandboxInspection.Run run) {
        StartReport.start(json, run.start());
        json.field("id", run.id())
                .field("vm", run.vm().value())
                .field("status", EnumNames.of(run.status()))
                .field("detached", run.detached())
                .field("pid", run.pid())
                .field("ownerPid", run.ownerPid())
                .field("startedAt", run.startedAt())
                .field("readyAt", run.readyAt().map(Instant::toString))
                .field("terminatedAt", run.terminatedAt().map(Instant::toString))
                .field("asked", run.asked().map(EnumNames::of));
        TerminationFields.write(json, run.termination());
        json.field("killed", run.termination().filter(Termination::killed).isPresent())
                .field("detail", run.termination().map(Termination::detail));
    }

    private static OptionalLong millis(Optional<Duration> duration) {
        return duration.map(value -> OptionalLong.of(value.toMillis())).orElse(OptionalLong.empty());
    }

    /** Prints for people what JSON has, but for the ids of VMs and processes. */
    static void print(SandboxInspection sandbox, PrintStream out) {
        SandboxInfo info = sandbox.info();
        SandboxPolicies policies = sandbox.policies();
        Table facts = new Table("NAME", info.name());
        facts.row("id", String.valueOf(info.id()));
        facts.row("status", PsCommand.hindered(info));
        info.hindrance().ifPresent(hindrance -> facts.row("remedy", hindrance.remedy()));
        facts.row("image", info.image());
        facts.row("manifest", sandbox.image().orElse("-"));
        facts.row("command", info.command().isEmpty() ? "the image's own" : info.command());
        sandbox.command().ifPresent(main -> {
            main.workingDirectory().ifPresent(directory -> facts.row("working directory", directory));
            main.user().ifPresent(user -> facts.row("user", user));
            main.stopSignal().ifPresent(signal -> facts.row("stop signal", signal.toString()));
            new TreeMap<>(main.environment()).forEach((key, value) -> facts.row("env", key + "=" + value));
        });
        facts.row("memory", info.memoryMib() + " MiB");
        facts.row("cpus", String.valueOf(info.cpus()));
        sandbox.diskMib().ifPresent(size -> facts.row("disk", size + " MiB"));
        DiskLimitOptions.words(policies.diskThrottle()).ifPresent(limits -> facts.row("disk limits", limits));
        PortText.of(info.ports()).forEach(port -> facts.row("port", port));
        policies.isolation().ifPresent(least -> facts.row("least isolation", EnumNames.of(least)));
        sandbox.isolation().ifPresent(walls -> facts.row("isolation", words(walls)));
        facts.row("ephemeral", info.ephemeral() ? "yes" : "no");
        new TreeMap<>(sandbox.labels()).forEach((key, value) -> facts.row("label", key + "=" + value));
        policies.maxDuration().ifPresent(limit -> facts.row("max duration", DurationText.of(limit)));
        info.deadline().ifPresent(end -> facts.row("deadline", end.toString()));
        policies.idleTimeout().ifPresent(limit -> facts.row("idle timeout", DurationText.of(limit)));
        facts.row("on deadline", EnumNames.of(policies.onDeadline()));
        facts.row("start timeout", DurationText.of(policies.startTimeout()));
        facts.row("kept runs", String.valueOf(policies.keptRuns()));
        facts.row("restart", policies.restart() + " (" + sandbox.restarts() + " in a row)");
        facts.row("created", info.createdAt().toString());
        facts.print(out);
        Table runs = new Table("RUN", "STARTED", "HOW", "ENDED", "PID", "REASON", "EXIT", "SIGNAL", "KILLED", "DETAIL");
        sandbox.runs()
                .forEach(run -> runs.row(
                        String.valueOf(run.id()),
                        run.startedAt().toString(),
                        run.start().map(start -> StartReport.word(start.kind())).orElse("-"),
                        run.terminatedAt().map(Instant::toString).orElse("-"),
                        run.pid().isPresent() ? String.valueOf(run.pid().getAsLong()) : "-",
                        run.termination().map(TerminationFields::reason).orElse("-"),
                        number(TerminationFields.exitCode(run.termination())),
                        number(TerminationFields.exitSignal(run.termination())),
                        run.termination()
                                .map(end -> end.killed() ? "yes" : "no")
                                .orElse("-"),
                        run.termination().map(Termination::detail).orElse("-")));
        out.println();
        runs.print(out);
    }

    private static String number(OptionalInt value) {
        return value.isPresent() ? String.valueOf(value.getAsInt()) : "-";
    }
}
