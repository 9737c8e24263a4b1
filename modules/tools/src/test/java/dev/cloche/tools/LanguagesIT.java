package dev.cloche.tools;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.cloche.Cloche;
import dev.cloche.ClocheOptions;
import dev.cloche.Sandbox;
import dev.cloche.base.InstalledShare;
import dev.cloche.sandbox.TemplateMaking;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.regex.Pattern;
import java.util.spi.ToolProvider;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Programs in all languages, in a sandbox that gets this host's programs for them. */
@Tag("slow")
class LanguagesIT {
    private static final Pattern LIBRARY = Pattern.compile("(/\\S+) \\(0x");

    @TempDir
    static Path home;

    static Cloche cloche;
    static Sandbox sandbox;
    static SandboxTools tools;

    @BeforeAll
    static void open() {
        Path share = InstalledShare.require();
        cloche = Cloche.open(ClocheOptions.ofEnvironment()
                .withHome(home.resolve("state"))
                .withShare(share)
                .withTemplateMaking(new TemplateMaking.Never()));
        sandbox = cloche.sandbox("base").memoryMib(2048).start();
        tools = SandboxTools.of(sandbox, ToolSettings.defaults().withTimeout(Duration.ofMinutes(5)));
    }

    @AfterAll
    static void close() {
        if (cloche != null) {
            sandbox.close();
            cloche.close();
        }
    }

    private static void copy(Path program, String target) throws Exception {
        Process ldd = new ProcessBuilder("ldd", program.toString()).start();
        String listed = new String(ldd.getInputStream().readAllBytes(), UTF_8);
        for (String library :
                LIBRARY.matcher(listed).results().map(found -> found.group(1)).toList()) {
            sandbox.files().copyIn(Path.of(library).toRealPath(), library);
        }
        sandbox.files().copyIn(program.toRealPath(), target);
    }

    private static Path hosts(String program) {
        Path file = Path.of("/usr/bin", program);
        Assumptions.assumeTrue(Files.isExecutable(file), program + " is not on this host");
        return file;
    }

    @Test
    void python() throws Exception {
        Path python = hosts("python3").toRealPath();
        copy(python, "/usr/bin/python3");
        Path library = Path.of("/usr/lib", python.getFileName().toString());
        sandbox.files().copyIn(library, library.toString());

        assertThat(tools.writeFile("helper.py", "def twice(x):\n    return 2 * x\n"))
                .startsWith("Wrote");
        assertThat(tools.runCode("python", "import helper\nx = helper.twice(21)\nprint(x)"))
                .isEqualTo("42\n");
        assertThat(tools.runCode("python", "print(x)"))
                .contains("NameError: name 'x' is not defined")
                .endsWith("[It ended with exit code 1. What it wrote is above.]");
        SandboxTools hasty = SandboxTools.of(sandbox, ToolSettings.defaults().withTimeout(Duration.ofSeconds(10)));
        assertThat(hasty.runCode("python", "print('first')\nwhile True: pass"))
                .isEqualTo("first\n[It was killed because it took longer than 10 s. What it wrote is above.]");
    }

    @Test
    void javascript() throws Exception {
        copy(hosts("node"), "/usr/bin/node");

        assertThat(tools.writeFile("helper.js", "exports.twice = x => 2 * x")).startsWith("Wrote");
        assertThat(tools.runCode("javascript", "console.log(require('./helper').twice(21))"))
                .isEqualTo("42\n");
        assertThat(tools.runCode("javascript", "throw new Error('as it should')"))
                .contains("Error: as it should")
                .endsWith("[It ended with exit code 1. What it wrote is above.]");
    }

    @Test
    void java() throws Exception {
        Path image = home.resolve("jdk");
        PrintWriter output = new PrintWriter(System.err, true, UTF_8);
        assertThat(ToolProvider.findFirst("jlink")
                        .orElseThrow()
                        .run(output, output, "--add-modules", "jdk.compiler", "--output", image.toString()))
                .isZero();
        List<Path> linked;
        try (Stream<Path> files = Files.walk(image)) {
            linked = files.filter(
                            file -> file.endsWith("bin/java") || file.toString().endsWith(".so"))
                    .toList();
        }
        for (Path file : linked) {
            copy(file, "/tmp/copied");
        }
        sandbox.files().copyIn(image, "/opt/jdk");
        assertThat(tools.runCommand("ln -s /opt/jdk/bin/java /usr/bin/java")).contains("exit code 0");

        assertThat(tools.runCode("java", """
                public class Answer {
                    public static void main(String[] arguments) {
                        System.out.println(6 * 7);
                    }
                }
                """)).isEqualTo("42\n");
        assertThat(tools.runCode("java", "void main() { IO.println(List.of(42)); }"))
                .isEqualTo("[42]\n");
        assertThat(tools.runCode("java", "void main() { missing(); }"))
                .contains("cannot find symbol")
                .endsWith("[It ended with exit code 1. What it wrote is above.]");
    }
}
