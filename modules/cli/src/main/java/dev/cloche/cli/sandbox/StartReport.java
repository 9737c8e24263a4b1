package dev.cloche.cli.sandbox;

import dev.cloche.Cloche;
import dev.cloche.Sandbox;
import dev.cloche.SandboxInfo;
import dev.cloche.SandboxInspection;
import dev.cloche.base.ClocheException;
import dev.cloche.base.EnumNames;
import dev.cloche.cli.terminal.JsonOutput;
import dev.cloche.sandbox.StartKind;
import dev.cloche.sandbox.StartTimings;
import dev.cloche.vm.ExitStatus;
import java.io.PrintStream;
import java.util.Optional;

/** Reports how a sandbox was started, for programs: one line of JSON. */
final class StartReport {
    private StartReport() {}

    /** Prints the report of an attached sandbox, with how its command ended. */
    static void print(Sandbox sandbox, ExitStatus exit, PrintStream out) {
        JsonOutput.printLine(out, json -> {
            json.field("name", sandbox.name());
            start(json, sandbox.startTimings());
            json.field("exitCode", exit.shellCode());
        });
    }

    /** Prints the report of a sandbox that goes on; if it has ended already it may be gone, and its start with it. */
    static void print(Cloche cloche, SandboxInfo sandbox, PrintStream out) {
        JsonOutput.printLine(out, json -> {
            json.field("id", sandbox.id()).field("name", sandbox.name());
            start(json, recorded(cloche, sandbox));
        });
    }

    private static Optional<StartTimings> recorded(Cloche cloche, SandboxInfo sandbox) {
        try {
            return cloche.sandboxes().inspect(sandbox.name()).runs().stream()
                    .findFirst()
                    .flatMap(SandboxInspection.Run::start);
        } catch (ClocheException gone) {
            return Optional.empty();
        }
    }

    static String word(StartKind kind) {
        return EnumNames.of(kind);
    }

    /** Writes the timings as a field {@code start}; null where none are known. */
    static void start(JsonOutput json, Optional<StartTimings> timings) {
        timings.ifPresentOrElse(
                known -> json.name("start")
                        .object(() -> json.field("kind", word(known.kind()))
                                .field("totalMillis", known.total().toMillis())
                                .field("imageMillis", known.image().toMillis())
                                .field("bootMillis", known.boot().toMillis())
                                .field("notWarm", known.notWarm())),
                () -> json.field("start", Optional.<String>empty()));
    }
}
