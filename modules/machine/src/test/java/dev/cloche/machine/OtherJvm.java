package dev.cloche.machine;

import dev.cloche.base.ChildJvm;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/** Starts this test's classes in JVMs of their own. */
final class OtherJvm {
    private OtherJvm() {}

    static Process start(Path log, Class<?> main, String... arguments) throws IOException {
        // One that is killed leaves SQLite's library there.
        return new ProcessBuilder(ChildJvm.command(List.of("-Dorg.sqlite.tmpdir=" + log.getParent()), main, arguments))
                .redirectError(log.toFile())
                .start();
    }
}
