package dev.cloche.cli.sandbox;

import dev.cloche.SandboxBuilder;
import dev.cloche.base.ClocheException;
import dev.cloche.base.EnumNames;
import dev.cloche.cli.option.TimeSpan;
import dev.cloche.cli.terminal.CommandWords;
import dev.cloche.sandbox.RestartPolicy;
import dev.cloche.sandbox.SandboxPolicies.OnDeadline;
import dev.cloche.vm.Isolation;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Option;
import picocli.CommandLine.TypeConversionException;

/** The options by which {@code run} and {@code create} say how long a sandbox lives and how it is found. */
final class LifecycleOptions {
    @Option(
            names = {"-l", "--label"},
            paramLabel = "KEY[=VALUE]",
            description = "Something that the sandbox can be found by. May be repeated.")
    private List<String> labels = new ArrayList<>();

    @Option(
            names = "--restart",
            paramLabel = "POLICY",
            description =
                    "Whether it is started again when it has ended by itself: no, on-failure, on-failure:N or always"
                            + " (default: no). Done by a process that keeps sandboxes, see: cloche keep --help.",
            converter = Restart.class)
    private @Nullable RestartPolicy restart;

    @Option(
            names = "--idle-timeout",
            paramLabel = "TIME",
            description =
                    "Stop it when no process has had a command or a copy in it, or used a published port of it, for this time."
                            + " For a detached sandbox done by a process that keeps sandboxes, see: cloche keep --help.",
            converter = TimeSpan.class)
    private @Nullable Duration idleTimeout;

    @Option(
            names = "--max-duration",
            paramLabel = "TIME",
            description = "End it after this time, also while it is used.",
            converter = TimeSpan.class)
    private @Nullable Duration maxDuration;

    @Option(
            names = "--on-deadline",
            paramLabel = "WHAT",
            description =
                    "What is done when --max-duration or --idle-timeout has passed: stop (default), or suspend, for which a"
                            + " process has to own the sandbox: this one, or with -d one that keeps sandboxes, see: cloche keep --help."
                            + " Without one it is halted when --max-duration has passed, until cloche maintain or cloche keep suspends"
                            + " it, or cloche extend has it go on.",
            converter = AtDeadline.class)
    private @Nullable OnDeadline onDeadline;

    @Option(
            names = "--start-timeout",
            paramLabel = "TIME",
            description = "What a start may take, with the pull of its image (default: 30m).",
            converter = TimeSpan.class)
    private @Nullable Duration startTimeout;

    @Option(
            names = "--keep-runs",
            paramLabel = "N",
            description = "How many runs are kept, with their logs (default: 5).")
    private @Nullable Integer keptRuns;

    @Option(
            names = "--isolation",
            paramLabel = "LEVEL",
            description = "The least of walls around QEMU, at each start: auto, reduced, sealed or full. It raises what"
                    + " config.toml and CLOCHE_ISOLATION ask for, and does not lower it.",
            converter = IsolationLevel.class)
    private @Nullable Isolation isolation;

    private static final class AtDeadline implements ITypeConverter<OnDeadline> {
        @Override
        public OnDeadline convert(String text) {
            return EnumNames.find(OnDeadline.class, text)
                    .orElseThrow(() -> new TypeConversionException("it is stop or suspend"));
        }
    }

    private static final class IsolationLevel implements ITypeConverter<Isolation> {
        @Override
        public Isolation convert(String text) {
            return EnumNames.find(Isolation.class, text)
                    .orElseThrow(() -> new TypeConversionException("it is auto, reduced, sealed or full"));
        }
    }

    private static final class Restart implements ITypeConverter<RestartPolicy> {
        @Override
        public RestartPolicy convert(String text) {
            try {
                return RestartPolicy.parse(text);
            } catch (ClocheException e) {
                throw new TypeConversionException(CommandWords.of(e.getMessage()));
            }
        }
    }

    RestartPolicy restart() {
        return restart == null ? RestartPolicy.no() : restart;
    }

    void applyTo(SandboxBuilder builder) {
        for (String label : labels) {
            int equals = label.indexOf('=');
            builder.label(
                    equals < 0 ? label : label.substring(0, equals), equals < 0 ? "" : label.substring(equals + 1));
        }
        builder.restart(restart());
        if (idleTimeout != null) {
            builder.idleTimeout(idleTimeout);
        }
        if (maxDuration != null) {
            builder.maxDuration(maxDuration);
        }
        if (onDeadline != null) {
            builder.onDeadline(onDeadline);
        }
        if (startTimeout != null) {
            builder.startTimeout(startTimeout);
        }
        if (keptRuns != null) {
            builder.keptRuns(keptRuns);
        }
        if (isolation != null) {
            builder.isolation(isolation);
        }
    }
}
