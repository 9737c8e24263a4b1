package dev.cloche.qemu.guard;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;

/** A test that runs the guard itself, with a shell script in the place of QEMU. */
abstract class WithGuard {
    static Path binary = Path.of("");

    @TempDir
    Path directory = Path.of("");

    @BeforeAll
    static void compile() throws IOException, InterruptedException {
        binary = GuardBinary.compile();
    }

    GuardRun guard(String script, String... options) throws IOException {
        return GuardRun.script(binary, directory, List.of(options), script);
    }
}
