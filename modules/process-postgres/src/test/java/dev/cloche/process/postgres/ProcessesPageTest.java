package dev.cloche.process.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cloche.process.ProcessRegistry;
import dev.cloche.process.ProcessStatus;
import java.io.StringWriter;
import java.net.URI;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The page on processes: its program for PostgreSQL compiles as it stands there, and does what it says. */
class ProcessesPageTest {
    private static final String NAME = "SharedBuild";
    private static final Pattern PROGRAM =
            Pattern.compile("```java\n((?:(?!```).)*\\bclass " + NAME + " (?:(?!```).)*)```", Pattern.DOTALL);

    private final TestServer server = TestServer.shared();

    @TempDir
    Path classes;

    @Test
    void itsProgramForPostgresqlDrivesTheWorkToItsEnd() throws Exception {
        Path root = Path.of(System.getProperty("cloche.root", "../.."));
        Matcher page = PROGRAM.matcher(Files.readString(root.resolve("docs/processes.md")));
        assertThat(page.find()).as("the page has the program").isTrue();
        compile(page.group(1));
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

    private void compile(String program) {
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        StringWriter problems = new StringWriter();
        // Surefire puts the class path into a jar, and says here what it is.
        String classPath = System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
        List<String> options = List.of("-d", classes.toString(), "-classpath", classPath, "-proc:none");
        boolean compiled = compiler.getTask(problems, null, null, options, null, List.of(source(program)))
                .call();
        assertThat(compiled).as(problems.toString()).isTrue();
    }

    private static JavaFileObject source(String program) {
        return new SimpleJavaFileObject(URI.create("string:///" + NAME + ".java"), JavaFileObject.Kind.SOURCE) {
            @Override
            public CharSequence getCharContent(boolean ignoreEncodingErrors) {
                return program;
            }
        };
    }
}
