package dev.cloche.machine;

import dev.cloche.base.ChildJvm;
import java.io.IOException;
import java.nio.file.Path;

/** Starts this test's classes in JVMs of their own. */
final class OtherJvm {
    private OtherJvm() {}

    static Process start(Path log, Class<?> main, String... arguments) throws IOException {
        return new ProcessBuilder(ChildJvm.command(main, arguments))
                .redirectError(log.toFile())
                .start();
    }
}
