package dev.cloche.base;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

class HangWatchTest {
    @TempDir
    Path directory;

    @Test
    void aRunThatHangsEndsAndSaysWhere() throws Exception {
        Process run = new ProcessBuilder(ChildJvm.command(HangingRun.class))
                .directory(directory.toFile())
                .redirectErrorStream(true)
                .start();
        String output = new String(run.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(run.waitFor()).as(output).isEqualTo(HangWatch.EXIT_CODE);
        assertThat(output).contains("HANG: No test has begun or ended for PT0.2S.");
        try (Stream<Path> reports = Files.list(directory.resolve("target"))) {
            List<Path> found = reports.toList();
            assertThat(found).hasSize(1);
            assertThat(Files.readString(found.getFirst())).contains("[method:hangs()]", "HangingRun$Hanging.hangs");
        }
    }

    /** A test run of its own. */
    static final class HangingRun {
        private HangingRun() {}

        public static void main(String[] arguments) {
            LauncherFactory.create()
                    .execute(LauncherDiscoveryRequestBuilder.request()
                            .selectors(selectClass(Hanging.class))
                            .build());
        }

        /** Not a name that the build takes for a test's. */
        static class Hanging {
            @Test
            void hangs() {
                System.setProperty(HangWatch.LIMIT, "PT0.2S");
                new Semaphore(0).acquireUninterruptibly();
            }
        }
    }
}
