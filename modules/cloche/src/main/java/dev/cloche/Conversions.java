package dev.cloche;

import dev.cloche.image.ImageSummary;
import dev.cloche.image.PullListener;
import dev.cloche.sandbox.Ending;
import dev.cloche.sandbox.RunRecord;
import dev.cloche.sandbox.SandboxRecord;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalInt;

/** Between the words of the rooms and those of the library. */
final class Conversions {
    private Conversions() {}

    static SandboxInfo info(SandboxRecord sandbox) {
        Optional<RunRecord> run = sandbox.latestRun();
        Optional<Ending> ending = run.flatMap(RunRecord::ending);
        return new SandboxInfo(
                sandbox.id(),
                sandbox.name(),
                sandbox.image(),
                sandbox.command(),
                word(sandbox.status()),
                sandbox.ephemeral(),
                run.map(RunRecord::detached).orElse(false),
                sandbox.memoryMib(),
                sandbox.cpus(),
                sandbox.createdAt(),
                ending.map(end -> word(end.reason())),
                ending.map(Ending::exitCode).orElse(OptionalInt.empty()),
                ending.map(Ending::exitSignal).orElse(OptionalInt.empty()));
    }

    private static String word(Enum<?> value) {
        return value.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
