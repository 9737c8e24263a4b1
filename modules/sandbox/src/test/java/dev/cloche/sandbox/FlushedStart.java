package dev.cloche.sandbox;

import dev.cloche.base.Deadline;
import dev.cloche.image.PullListener;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;

/** The process of {@link StartFlushTest}: starts sandboxes, and looks for files of telling names before and after each. */
final class FlushedStart {
    private FlushedStart() {}

    /** Takes the root and the layout of the image. */
    public static void main(String[] arguments) {
        try (KillRuntime runtime = KillRuntime.open(Path.of(arguments[0]), Path.of(arguments[1]), KillWorld.MEMORY)) {
            SandboxSpec spec = SandboxSpec.of("base");
            // The first start of a process may sweep.
            start(runtime, spec.withEphemeral(true), "first");
            start(runtime, spec.withEphemeral(true), "ephemeral");
            start(runtime, spec.withName("named"), "named");
        }
    }

    private static void start(KillRuntime runtime, SandboxSpec spec, String what) {
        mark("begin-" + what);
        try (RunningSandbox _ =
                runtime.sandboxes().start(spec, PullListener.none(), Deadline.after(Duration.ofMinutes(2)))) {
            mark("end-" + what);
        }
    }

    private static void mark(String name) {
        if (Files.exists(Path.of("/" + name))) {
            throw new IllegalStateException(name + " is there");
        }
    }
}
