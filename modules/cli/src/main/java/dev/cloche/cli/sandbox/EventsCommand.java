package dev.cloche.cli.sandbox;

import dev.cloche.Cloche;
import dev.cloche.EventStream;
import dev.cloche.base.EnumNames;
import dev.cloche.cli.option.FormatOption;
import dev.cloche.cli.option.PointInTime;
import dev.cloche.cli.terminal.ExitCodes;
import dev.cloche.cli.terminal.JsonOutput;
import dev.cloche.cli.terminal.Table;
import dev.cloche.sandbox.SandboxEvent;
import dev.cloche.sandbox.Termination;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

@Command(
        name = "events",
        description = "Print what happens to sandboxes, as it happens, by any process.",
        footerHeading = "%nExamples:%n",
        footer = {
            "  cloche events --filter event=crashed",
            "  cloche events --since 1h --no-follow --format json",
        })
final class EventsCommand implements Callable<Integer> {
    @Option(
            names = "--since",
            paramLabel = "TIME",
            description =
                    "Also what has happened since then: a time such as 2026-01-31T12:00:00Z, or a span such as 10m. The"
                            + " latest 10,000 events are known.",
            converter = PointInTime.class)
    private @Nullable Instant since;

    @Option(
            names = {"-f", "--filter"},
            paramLabel = "KEY=VALUE",
            description =
                    "Only events of this kind (event=…), sandbox (sandbox=…) or image (image=…). May be repeated: of the"
                            + " same key any, of several keys all.")
    private List<String> filters = new ArrayList<>();

    @Option(names = "--no-follow", description = "Leave when what has happened by now is printed.")
    private boolean once;

    @Mixin
    private FormatOption format = new FormatOption();

    @Override
    public Integer call() throws InterruptedException {
        Predicate<SandboxEvent> filter = EventFilter.of(filters);
        try (Cloche cloche = Cloche.open();
                EventStream events = since == null
                        ? cloche.sandboxes().events()
                        : cloche.sandboxes().eventsSince(since)) {
            Optional<SandboxEvent> next = next(events);
            while (next.isPresent()) {
                next.filter(filter).ifPresent(this::print);
                if (System.out.checkError()) {
                    // The reader of the output has left.
                    return ExitCodes.OK;
                }
                next = next(events);
            }
        }
        return ExitCodes.OK;
    }

    private Optional<SandboxEvent> next(EventStream events) throws InterruptedException {
        return once ? events.next(Duration.ZERO) : Optional.of(events.next());
    }

    private void print(SandboxEvent event) {
        if (format.json()) {
            JsonOutput.printLine(System.out, json -> {
                json.field("id", event.id())
                        .field("at", event.at())
                        .field("event", EnumNames.of(event.kind()))
                        .field("sandboxId", event.sandboxId())
                        .field("sandbox", event.name())
                        .field("image", event.image());
                TerminationFields.write(json, event.termination());
                json.field(
                        "detail", event.termination().map(Termination::detail).orElse(event.detail()));
            });
            return;
        }
        StringBuilder line = new StringBuilder()
                .append(event.at())
                .append(' ')
                .append(EnumNames.of(event.kind()))
                .append(' ')
                .append(event.name());
        event.termination().ifPresent(termination -> {
            line.append(' ').append(EnumNames.of(termination.reason()));
            termination.exitCode().ifPresent(code -> line.append(" exit ").append(code));
            termination.exitSignal().ifPresent(signal -> line.append(" signal ").append(signal));
        });
        if (event.termination().isEmpty() && !event.detail().isEmpty()) {
            line.append(' ').append(event.detail());
        }
        System.out.println(Table.clean(line.toString()));
        System.out.flush();
    }
}
