package dev.cloche.base;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.io.StringWriter;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;

/** Programs in pages of the documentation, compiled as they stand there. */
public final class PageProgram {
    private PageProgram() {}

    /** Where the page is, for example {@code docs/processes.md}. */
    public static Path page(String name) {
        return Path.of(System.getProperty("cloche.root", "../..")).resolve(name);
    }

    /** What tests run with. Surefire puts it into a jar, and says by a property what it is. */
    public static String classPath() {
        return System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
    }

    /** Finds the program of a class in a page and compiles it into a directory. */
    public static void compile(Path page, String name, Path classes) throws IOException {
        Matcher program = Pattern.compile(
                        "```java\n((?:(?!```).)*\\bclass " + Pattern.quote(name) + " (?:(?!```).)*)```", Pattern.DOTALL)
                .matcher(Files.readString(page));
        assertThat(program.find()).as("the page has the program " + name).isTrue();
        compile(name, program.group(1), classes);
    }

    /** Returns the first lines of Java of a page, which need not be a whole class. */
    public static String firstLines(Path page) throws IOException {
        Matcher lines =
                Pattern.compile("```java\n((?:(?!```).)*)```", Pattern.DOTALL).matcher(Files.readString(page));
        assertThat(lines.find()).as("the page has lines of Java").isTrue();
        return lines.group(1);
    }

    /** Compiles a program into a directory. */
    public static void compile(String name, String text, Path classes) {
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        StringWriter problems = new StringWriter();
        List<String> options = List.of("-d", classes.toString(), "-classpath", classPath(), "-proc:none");
        boolean compiled = compiler.getTask(problems, null, null, options, null, List.of(source(name, text)))
                .call();
        assertThat(compiled).as(problems.toString()).isTrue();
    }

    /**
     * Runs a compiled program in a process of its own, which finds the state root by the environment.
     *
     * @return what it writes to its standard output; it ends with 0
     */
    public static String run(String name, Path classes, Map<String, String> environment)
            throws IOException, InterruptedException {
        Path errors = classes.resolveSibling("errors");
        ProcessBuilder program = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "--enable-native-access=ALL-UNNAMED",
                        "-cp",
                        classes + File.pathSeparator + classPath(),
                        name)
                .redirectInput(new File("/dev/null"))
                .redirectError(errors.toFile());
        program.environment().putAll(environment);
        Process running = program.start();
        String said = new String(running.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(running.waitFor()).as(Files.readString(errors)).isZero();
        return said;
    }

    private static JavaFileObject source(String name, String program) {
        return new SimpleJavaFileObject(URI.create("string:///" + name + ".java"), JavaFileObject.Kind.SOURCE) {
            @Override
            public CharSequence getCharContent(boolean ignoreEncodingErrors) {
                return program;
            }
        };
    }
}
