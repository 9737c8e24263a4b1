package dev.cloche;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cloche.base.InstalledShare;
import dev.cloche.interpreter.CellListener;
import dev.cloche.interpreter.CellOutcome;
import dev.cloche.interpreter.CellResult;
import dev.cloche.interpreter.Interpreter;
import dev.cloche.interpreter.InterpreterContext;
import dev.cloche.interpreter.InterpreterException;
import dev.cloche.interpreter.Language;
import dev.cloche.sandbox.SandboxException;
import dev.cloche.sandbox.TemplateMaking;
import dev.cloche.vm.Output;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Python in a real VM, which gets this host's. */
class InterpreterIT {
    private static final Pattern LIBRARY = Pattern.compile("(/\\S+) \\(0x");
    private static final Path PYTHON = Path.of("/usr/bin/python3");

    @TempDir
    static Path home;

    static Cloche cloche;
    static Sandbox sandbox;
    static Interpreter python;

    @BeforeAll
    static void open() throws Exception {
        Path share = InstalledShare.require();
        Assumptions.assumeTrue(Files.isExecutable(PYTHON), "python3 is not on this host");
        cloche = Cloche.open(ClocheOptions.ofEnvironment()
                .withHome(home)
                .withShare(share)
                .withTemplateMaking(new TemplateMaking.Never()));
        sandbox = withPython("base");
        python = sandbox.interpreter(Language.PYTHON);
    }

    private static Sandbox withPython(String image) throws Exception {
        Sandbox made = cloche.sandbox(image).memoryMib(512).start();
        Path program = PYTHON.toRealPath();
        Process ldd = new ProcessBuilder("ldd", program.toString()).start();
        String listed = new String(ldd.getInputStream().readAllBytes(), UTF_8);
        for (String library :
                LIBRARY.matcher(listed).results().map(found -> found.group(1)).toList()) {
            made.files().copyIn(Path.of(library).toRealPath(), library);
        }
        made.files().copyIn(program, PYTHON.toString());
        Path library = Path.of("/usr/lib", program.getFileName().toString());
        made.files().copyIn(library, library.toString());
        return made;
    }

    @AfterAll
    static void close() {
        if (cloche != null) {
            python.close();
            sandbox.close();
            cloche.close();
        }
    }

    @Test
    void theLastExpressionIsTheValueAndVariablesStay() {
        assertThat(python.run("6*7").text()).isEqualTo("42");
        assertThat(python.run("x = 3").value()).isEmpty();
        assertThat(python.run("x + 1").text()).isEqualTo("4");
        assertThat(python.version()).startsWith("3.");
    }

    @Test
    void contextsAreSeparateAndTheirRandomNumbersDiffer() {
        try (InterpreterContext one = python.context();
                InterpreterContext other = python.context()) {
            assertThat(one.run("y = 1\ny").text()).isEqualTo("1");
            assertThat(other.run("y").error().orElseThrow().summary()).isEqualTo("NameError: name 'y' is not defined");
            String random = "import random, uuid\nrandom.random(), uuid.uuid4()";
            assertThat(one.run(random).text()).isNotEqualTo(other.run(random).text());
        }
    }

    @Test
    void anErrorHasItsFrames() {
        try (InterpreterContext context = python.context()) {
            CellResult result = context.run("def f():\n    return 1 / 0\nf()");
            assertThat(result.outcome()).isEqualTo(CellOutcome.FAILED);
            assertThat(result.error().orElseThrow().text()).isEqualTo("""
                      <cell 1>, line 3, in <module>
                        f()
                      <cell 1>, line 2, in f
                        return 1 / 0
                    ZeroDivisionError: division by zero
                    """);
        }
    }

    @Test
    void anEndlessLoopIsInterruptedAndItsContextGoesOn() {
        assertThat(python.run("kept = 5").outcome()).isEqualTo(CellOutcome.COMPLETED);
        CellResult late =
                python.cell("while True: pass").timeout(Duration.ofMillis(500)).run();
        assertThat(late.outcome()).isEqualTo(CellOutcome.TIMED_OUT);
        assertThat(late.contextLost()).isFalse();
        CellListener interrupting = new CellListener() {
            @Override
            public void output(Output output, byte[] piece) {
                python.interrupt();
            }
        };
        CellResult interrupted = python.cell("import time\nprint('on')\ntime.sleep(1000)")
                .listener(interrupting)
                .run();
        assertThat(interrupted.outcome()).isEqualTo(CellOutcome.INTERRUPTED);
        assertThat(python.run("kept").text()).isEqualTo("5");
    }

    @Test
    void aProcessThatEndsEndsItsContextAlone() {
        try (InterpreterContext doomed = python.context();
                InterpreterContext other = python.context()) {
            assertThat(other.run("z = 1\nz").text()).isEqualTo("1");
            CellResult end = doomed.run("import os\nprint('bye')\nos._exit(3)");
            assertThat(end.outcome()).isEqualTo(CellOutcome.CONTEXT_ENDED);
            assertThat(end.stdout()).isEqualTo("bye\n");
            assertThatThrownBy(() -> doomed.run("1")).isInstanceOf(InterpreterException.ContextEnded.class);
            assertThat(other.run("z").text()).isEqualTo("1");
        }
    }

    @Test
    void theInterpretersOwnContextIsBegunAgain() throws Exception {
        try (Interpreter another = sandbox.interpreter(Language.PYTHON)) {
            assertThat(another.run("import os\nos._exit(0)").contextLost()).isTrue();
            assertThat(another.run("'os' in globals()").text()).isEqualTo("False");
        }
        assertThat(sandbox.exec("sh", "-c", "ls /tmp | grep -c cloche-").stdoutText())
                .isEqualTo("1\n");
    }

    @Test
    void shownValuesHaveTheirForms() {
        CellResult result =
                python.run("class H:\n def _repr_html_(self): return '<b>'\ndisplay(H())\nprint('out')\nH()");
        assertThat(result.displays())
                .singleElement()
                .satisfies(shown -> assertThat(shown.text("text/html")).contains("<b>"));
        assertThat(result.value().orElseThrow().text("text/html")).contains("<b>");
        assertThat(result.stdout()).isEqualTo("out\n");
    }

    @Test
    void forksOfAProcessDoNotStopTheDriver() {
        try (InterpreterContext bomb = python.context()) {
            CellResult result = bomb.cell("""
                            import os, time
                            for _ in range(50):
                                if os.fork() == 0:
                                    time.sleep(1000)
                            time.sleep(1000)
                            """).timeout(Duration.ofSeconds(1)).run();
            assertThat(result.outcome()).isEqualTo(CellOutcome.TIMED_OUT);
        }
        assertThat(python.run("1").text()).isEqualTo("1");
    }

    @Test
    void anImageWithoutPythonIsRefused() {
        assertThatThrownBy(
                        () -> cloche.interpreter(Language.PYTHON).image("base").start())
                .isInstanceOf(InterpreterException.NotInstalled.class)
                .hasMessageContaining("has no program python3");
        assertThatThrownBy(() -> cloche.interpreter(Language.PYTHON).start())
                .isInstanceOf(InterpreterException.NoImage.class)
                .hasMessageContaining("python = \"IMAGE\" below [interpreter] in config.toml");
        assertThat(cloche.sandboxes().list()).hasSize(1);
    }

    @Test
    void theEndOfTheSandboxIsToldAsThat() throws Exception {
        try (Sandbox other = withPython("base");
                Interpreter its = other.interpreter(Language.PYTHON)) {
            assertThat(its.run("1").text()).isEqualTo("1");
            other.stop(Duration.ZERO);
            assertThatThrownBy(() -> its.run("1")).isInstanceOf(SandboxException.Ended.class);
        }
    }
}
