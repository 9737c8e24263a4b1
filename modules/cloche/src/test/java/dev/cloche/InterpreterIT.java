package dev.cloche;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cloche.base.InstalledShare;
import dev.cloche.base.TestImage;
import dev.cloche.image.PullListener;
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
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Python in real VMs, of an image with this host's. */
class InterpreterIT {
    private static final String IMAGE = "python";

    @TempDir
    static Path home;

    static Cloche cloche;
    static Sandbox sandbox;
    static Interpreter python;

    @BeforeAll
    static void open() throws Exception {
        Path share = InstalledShare.require();
        Assumptions.assumeTrue(TestImage.hasPython(), "python3 is not on this host");
        cloche = Cloche.open(ClocheOptions.ofEnvironment()
                .withHome(home.resolve("state"))
                .withShare(share)
                .withTemplateMaking(new TemplateMaking.Never()));
        var _ = cloche.images().load(TestImage.withPython(home.resolve("image")), IMAGE, PullListener.none());
        sandbox = cloche.sandbox(IMAGE).memoryMib(512).start();
        python = sandbox.interpreter(Language.PYTHON);
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
        assertThatThrownBy(
                        () -> cloche.interpreter(Language.PYTHON).image("base").prepare())
                .isInstanceOf(InterpreterException.NotInstalled.class);
        assertThatThrownBy(() -> cloche.interpreter(Language.PYTHON).start())
                .isInstanceOf(InterpreterException.NoImage.class)
                .hasMessageContaining("python = \"IMAGE\" below [interpreter] in config.toml");
        assertThat(cloche.sandboxes().list()).hasSize(1);
    }

    @Test
    void aShellNeedsNoDriverAndIsInterruptedToo() throws Exception {
        String job;
        try (Interpreter shell = sandbox.interpreter(Language.SHELL);
                InterpreterContext other = shell.context()) {
            assertThat(shell.run("x=5; cd /tmp; f() { echo \"$1 $x\"; }").outcome())
                    .isEqualTo(CellOutcome.COMPLETED);
            CellResult late = shell.cell("echo on; while :; do f >/dev/null; done")
                    .timeout(Duration.ofMillis(500))
                    .run();
            assertThat(late.outcome()).isEqualTo(CellOutcome.TIMED_OUT);
            assertThat(late.contextLost()).isFalse();
            assertThat(late.stdout()).as("before its time was over").isIn("on\n", "");
            CellResult failed = shell.run("f kept; pwd; echo told >&2; (exit 3)");
            assertThat(failed.stdout()).isEqualTo("kept 5\n/tmp\n");
            assertThat(failed.stderr()).isEqualTo("told\n");
            assertThat(failed.error().orElseThrow().summary()).isEqualTo("ExitStatus: 3");
            assertThat(shell.run("if x (").error().orElseThrow().name()).isEqualTo("SyntaxError");
            assertThat(shell.isComplete("while :; do")).isFalse();
            assertThat(shell.isComplete("echo 'a b'")).isTrue();
            assertThat(other.run("echo ${x-none}").stdout()).isEqualTo("none\n");
            CellResult end = other.run("exit 3");
            assertThat(end.outcome()).isEqualTo(CellOutcome.CONTEXT_ENDED);
            assertThat(end.notice()).contains("ended with exit code 3");
            job = shell.run("sleep 100000 & echo $!").stdout().strip();
            assertThat(job).matches("[0-9]+");
        }
        assertThat(sandbox.exec("sh", "-c", "while [ -d /proc/" + job + " ]; do sleep 0.1; done")
                        .exitCode())
                .isZero();
    }

    @Test
    void aShellRunsInAnyImageWithoutATemplate() {
        Cloche.InterpreterBuilder builder = cloche.interpreter(Language.SHELL).image("base");
        try (Interpreter shell = builder.start()) {
            assertThat(shell.run("head -c 3 /proc/self/comm").stdout()).isEqualTo("hea");
        }
        assertThatThrownBy(builder::prepare)
                .isInstanceOf(InterpreterException.Invalid.class)
                .hasMessageContaining("A shell has no driver");
        assertThatThrownBy(() -> builder.imports("os").start())
                .isInstanceOf(InterpreterException.Invalid.class)
                .hasMessageContaining("share no modules");
    }

    /** What no two contexts may have in common, nor draw from the same state. */
    private static final String DRAWN = """
            import os, random, secrets, tempfile, uuid
            random.random(), uuid.uuid4(), secrets.token_hex(), tempfile.mktemp(), random.SystemRandom().random()
            """;

    @Test
    void anInterpreterOfATemplateHasItsModulesAndRandomNumbersOfItsOwn() {
        Cloche.InterpreterBuilder builder =
                cloche.interpreter(Language.PYTHON).image(IMAGE).imports("decimal", "json.tool");
        // What only one sandbox has keeps it from being restored.
        Cloche.InterpreterBuilder labelled = cloche.interpreter(Language.PYTHON)
                .image(IMAGE)
                .imports("json.tool")
                .sandbox(own -> own.label("a", "b"));
        try (Interpreter unprepared = labelled.start()) {
            assertThat(unprepared.run("import sys\n'json.tool' in sys.modules").text())
                    .isEqualTo("True");
        }
        assertThatThrownBy(labelled::prepare).isInstanceOf(InterpreterException.Invalid.class);
        assertThat(cloche.templates().prepared())
                .as("where no process makes any")
                .isEmpty();

        SnapshotInfo template = builder.prepare();
        assertThat(template.name()).startsWith("interpreter-python-");
        assertThat(builder.prepare()).isEqualTo(template);
        List<String> drawn = new ArrayList<>();
        List<String> pids = new ArrayList<>();
        List<Integer> contexts = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            try (Interpreter clone = builder.start();
                    InterpreterContext further = clone.context()) {
                assertThat(clone.run("import sys\n'decimal' in sys.modules, 'json.tool' in sys.modules")
                                .text())
                        .isEqualTo("(True, True)");
                drawn.addAll(List.of(clone.run(DRAWN).text().split(", ", -1)));
                drawn.addAll(List.of(further.run(DRAWN).text().split(", ", -1)));
                pids.add(clone.run("import os\nos.getppid()").text());
                contexts.add(Integer.valueOf(clone.run("os.getpid()").text()));
            }
        }
        assertThat(drawn).hasSize(20).doesNotHaveDuplicates();
        assertThat(pids.getFirst()).as("one process, in each").isEqualTo(pids.getLast());
        assertThat(cloche.sandboxes().list()).as("the others have ended").hasSize(1);

        // A pool stands on it.
        var _ = cloche.pools().template(template.name()).depth(1).set();
        assertThat(cloche.pools().fill(PullListener.none())).isEmpty();
        try (Interpreter warm = builder.start()) {
            assertThat(drawn)
                    .doesNotContainAnyElementsOf(List.of(warm.run(DRAWN).text().split(", ", -1)));
            assertThat(Integer.valueOf(warm.run("import os\nos.getpid()").text()))
                    .as("three contexts and what reached them came before, when the VM was made")
                    .isGreaterThanOrEqualTo(Collections.max(contexts) + 6);
        }
        assertThat(cloche.pools().list().getFirst().hits()).isEqualTo(1);
        cloche.pools().template(template.name()).remove();
    }

    @Test
    void aModuleThatCannotBeImportedIsNamed() {
        Cloche.InterpreterBuilder builder = cloche.interpreter(Language.PYTHON).image(IMAGE);
        assertThatThrownBy(() -> builder.imports("missing.part").prepare())
                .isInstanceOf(InterpreterException.NotStarted.class)
                .hasMessageContaining("No module named 'missing'");
        assertThatThrownBy(() -> builder.imports("os; print()").start())
                .isInstanceOf(InterpreterException.Invalid.class)
                .hasMessageContaining("os; print()");
    }

    @Test
    void theEndOfTheSandboxIsToldAsThat() throws Exception {
        try (Sandbox other = cloche.sandbox(IMAGE).start();
                Interpreter its = other.interpreter(Language.PYTHON)) {
            assertThat(its.run("1").text()).isEqualTo("1");
            other.stop(Duration.ZERO);
            assertThatThrownBy(() -> its.run("1")).isInstanceOf(SandboxException.Ended.class);
        }
    }
}
