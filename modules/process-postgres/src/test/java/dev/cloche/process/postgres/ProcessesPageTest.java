package dev.cloche.process.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cloche.base.PageProgram;
import dev.cloche.process.ProcessRegistry;
import dev.cloche.process.ProcessStatus;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The page on processes: its program for PostgreSQL compiles as it stands there, and does what it says. */
class ProcessesPageTest {
    private static final String NAME = "SharedBuild";

    private final TestServer server = TestServer.shared();

    @TempDir
    Path classes;

    @Test
    void itsProgramForPostgresqlDrivesTheWorkToItsEnd() throws Exception {
        PageProgram.compile(PageProgram.page("docs/processes.md"), NAME, classes);
        PostgresConfig config = server.config("cloche");
        try (URLClassLoader loader = new URLClassLoader(
                new URL[] {classes.toUri().toURL()}, getClass().getClassLoader())) {
            Object arguments = new String[] {config.url(), config.user()};
            loader.loadClass(NAME).getMethod("main", String[].class).invoke(null, arguments);
        }
        try (ProcessRegistry registry = ProcessRegistry.over(PostgresProcessStore.open(config))) {
            assertThat(registry.get("build-42").orElseThrow().status()).isEqualTo(ProcessStatus.COMPLETED);
        }
    }
}
