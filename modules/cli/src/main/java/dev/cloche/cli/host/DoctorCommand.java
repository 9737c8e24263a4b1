package dev.cloche.cli.host;

import dev.cloche.Cloche;
import dev.cloche.ClocheOptions;
import dev.cloche.HealthCheck;
import dev.cloche.HealthCheck.Verdict;
import dev.cloche.HostRequirement;
import dev.cloche.base.EnumNames;
import dev.cloche.cli.option.FormatOption;
import dev.cloche.cli.terminal.CommandWords;
import dev.cloche.cli.terminal.ExitCodes;
import dev.cloche.cli.terminal.JsonOutput;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

@Command(
        name = "doctor",
        description = "Look at what Cloche needs of this host, and say how to fix what is missing. Exit code 1 if"
                + " sandboxes cannot run, or what is required is missing.")
public final class DoctorCommand implements Callable<Integer> {
    @Mixin
    private FormatOption format = new FormatOption();

    @Option(
            names = "--require",
            split = ",",
            paramLabel = "WHAT",
            description =
                    "Fail without it, although sandboxes run: kvm, sealed, full, groups, network, disks; separated by commas.")
    private Set<HostRequirement> required = EnumSet.noneOf(HostRequirement.class);

    @Override
    public Integer call() {
        List<HealthCheck> checks = Cloche.examine(ClocheOptions.ofEnvironment(), required);
        if (format.json()) {
            JsonOutput.print(System.out, json -> json.array(() -> checks.forEach(check -> write(json, check))));
        } else {
            checks.forEach(DoctorCommand::print);
        }
        boolean fails = checks.stream().anyMatch(check -> check.verdict() == Verdict.FAILURE);
        return fails ? ExitCodes.FAILURE : ExitCodes.OK;
    }

    private static void write(JsonOutput json, HealthCheck check) {
        json.object(() -> json.field("name", check.name())
                .field("verdict", EnumNames.of(check.verdict()))
                .field("finding", CommandWords.of(check.finding()))
                .field("fix", CommandWords.of(check.fix())));
    }

    private static void print(HealthCheck check) {
        String mark = switch (check.verdict()) {
            case OK -> "ok     ";
            case WARNING -> "warning";
            case FAILURE -> "FAILURE";
        };
        System.out.printf("%s  %-14s %s%n", mark, check.name(), CommandWords.of(check.finding()));
        if (!check.fix().isEmpty()) {
            System.out.printf("         %-14s → %s%n", "", CommandWords.of(check.fix()));
        }
    }
}
