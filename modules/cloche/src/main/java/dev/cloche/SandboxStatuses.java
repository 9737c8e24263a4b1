package dev.cloche;

import dev.cloche.sandbox.SandboxException;
import dev.cloche.sandbox.SandboxStatus;
import java.util.Arrays;
import java.util.Collection;
import java.util.EnumSet;
import java.util.Set;

/** Statuses of sandboxes, as they are asked for. */
final class SandboxStatuses {
    private SandboxStatuses() {}

    /** @throws SandboxException.InvalidSpecification if one of the words is no status */
    static Set<SandboxStatus> parse(Collection<String> words) {
        Set<SandboxStatus> statuses = EnumSet.noneOf(SandboxStatus.class);
        words.forEach(word -> statuses.add(parse(word)));
        return statuses;
    }

    private static SandboxStatus parse(String word) {
        return Arrays.stream(SandboxStatus.values())
                .filter(status -> Words.of(status).equals(word))
                .findFirst()
                .orElseThrow(() -> new SandboxException.InvalidSpecification(
                        "\"" + word + "\" is no status of a sandbox.",
                        "Use created, starting, running, paused, draining, stopped or crashed."));
    }
}
