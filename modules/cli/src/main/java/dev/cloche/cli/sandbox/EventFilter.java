package dev.cloche.cli.sandbox;

import dev.cloche.base.EnumNames;
import dev.cloche.cli.terminal.UsageError;
import dev.cloche.sandbox.SandboxEvent;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Predicate;

/** Selects events: {@code event=…}, {@code sandbox=…} and {@code image=…}; any value of one key, and all keys. */
final class EventFilter {
    private EventFilter() {}

    /** @throws UsageError if one has another form */
    static Predicate<SandboxEvent> of(List<String> filters) {
        Map<String, Set<String>> wanted = new HashMap<>();
        for (String filter : filters) {
            int equals = filter.indexOf('=');
            wanted.computeIfAbsent(filter.substring(0, Math.max(0, equals)), _ -> new HashSet<>())
                    .add(filter.substring(equals + 1));
        }
        Predicate<SandboxEvent> all = event -> true;
        for (Map.Entry<String, Set<String>> entry : wanted.entrySet()) {
            Function<SandboxEvent, String> fact = fact(entry.getKey());
            all = all.and(event -> entry.getValue().contains(fact.apply(event)));
        }
        return all;
    }

    private static Function<SandboxEvent, String> fact(String key) {
        return switch (key) {
            case "event" -> event -> EnumNames.of(event.kind());
            case "sandbox" -> SandboxEvent::name;
            case "image" -> SandboxEvent::image;
            default ->
                throw new UsageError(
                        "\"" + key + "\" is nothing that events are filtered by.",
                        "Write event=KIND, sandbox=NAME or image=REFERENCE.");
        };
    }
}
