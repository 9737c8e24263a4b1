package dev.cloche.image;

import dev.cloche.base.ChildJvm;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;

/** Starts a main class of the tests in a JVM of its own, quickly. */
final class JavaProcess {
    private JavaProcess() {}

    static Process start(Class<?> main, Map<String, String> environment, Path output, String... arguments)
            throws IOException {
        ProcessBuilder builder = new ProcessBuilder(ChildJvm.command(main, arguments))
                .redirectInput(ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile()))
                .redirectErrorStream(true)
                .redirectOutput(output.toFile());
        builder.environment().putAll(environment);
        return builder.start();
    }
}
