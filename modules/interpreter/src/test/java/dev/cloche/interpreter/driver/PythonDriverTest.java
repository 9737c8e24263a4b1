package dev.cloche.interpreter.driver;

import static dev.cloche.interpreter.driver.DriverOnHost.LONG;
import static dev.cloche.interpreter.driver.DriverOnHost.interruptAtTheBeginning;
import static dev.cloche.interpreter.driver.DriverOnHost.isComplete;
import static dev.cloche.interpreter.driver.DriverOnHost.killed;
import static dev.cloche.interpreter.driver.DriverOnHost.run;
import static dev.cloche.interpreter.driver.DriverOnHost.text;
import static dev.cloche.interpreter.driver.DriverOnHost.timedOut;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cloche.base.Deadline;
import dev.cloche.interpreter.CellListener;
import dev.cloche.interpreter.CellOutcome;
import dev.cloche.interpreter.CellResult;
import dev.cloche.interpreter.InterpreterException;
import dev.cloche.interpreter.protocol.Answer;
import dev.cloche.vm.Output;
import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The driver of Python as a process of this host. */
class PythonDriverTest {
    private static final Duration SHORT = Duration.ofMillis(300);

    @TempDir
    Path directory;

    private DriverOnHost driver;

    @BeforeEach
    void start() throws Exception {
        Assumptions.assumeTrue(
                DriverOnHost.succeeds("python3", "-c", "import sys; sys.exit(sys.version_info < (3, 9))"),
                "python3 of 3.9 or newer is not on this host");
        Path modules = Files.createDirectory(directory.resolve("modules"));
        Files.writeString(modules.resolve("loud.py"), "print('imported')\nimport os\npid = os.getpid()\n");
        driver = DriverOnHost.start(
                directory,
                "python3",
                "python.py",
                List.of("loud", "xml.dom"),
                Map.of("PYTHONPATH", modules.toString()));
    }

    @AfterEach
    void end() throws Exception {
        if (driver != null) {
            driver.close();
            assertThat(driver.errors()).isEqualTo("imported\n");
        }
    }

    private Connection connect() throws IOException {
        return driver.connect();
    }

    private Connection context() throws IOException {
        return driver.context();
    }

    @Test
    void whatANewVmOfAPoolDoesLeavesNothing() throws Exception {
        List<String> dialled = new ArrayList<>();
        new DriverExercise("/run/driver").accept(driver.guest(dialled));
        assertThat(dialled).hasSize(3).allMatch(to -> to.contains("/run/driver"));
        driver.awaitNoContext();
        assertThat(text(context(), "_ if '_' in dir() else 'new'")).isEqualTo("'new'");
    }

    @Test
    void aDriverThatTakesNoContextFailsWhatANewVmDoes() throws Exception {
        for (int i = 0; i < 32; i++) {
            var _ = context();
        }
        assertThatThrownBy(() -> new DriverExercise("/run/driver").accept(driver.guest(new ArrayList<>())))
                .isInstanceOf(InterpreterException.TooManyContexts.class);
    }

    @Test
    void theLastExpressionIsTheValueAndVariablesStay() throws Exception {
        Connection context = context();
        assertThat(text(context, "6 * 7")).isEqualTo("42");
        assertThat(run(context, "x = 3").value()).isEmpty();
        assertThat(run(context, "None").value()).isEmpty();
        assertThat(text(context, "y = x\ny + 1")).isEqualTo("4");
        assertThat(text(context, "_")).isEqualTo("4");
        assertThat(text(context, "def f(a):\n    return a * x\nf(5)")).isEqualTo("15");
        assertThat(text(context, "'é😀'")).isEqualTo("'é😀'");
        assertThat(text(context, "__name__")).isEqualTo("'__main__'");
        assertThat(text(context, "import pickle\nclass A: pass\ntype(pickle.loads(pickle.dumps(A()))).__name__"))
                .isEqualTo("'A'");
        assertThat(run(context, "").outcome()).isEqualTo(CellOutcome.COMPLETED);
    }

    @Test
    void modulesAreImportedOnceForAllContexts() throws Exception {
        String pid = text(context(), "import loud, sys\nloud.pid");
        assertThat(pid).isEqualTo(String.valueOf(driver.pid()));
        assertThat(text(context(), "import loud\nloud.pid")).isEqualTo(pid);
        assertThat(text(context(), "import sys\n'xml.dom' in sys.modules")).isEqualTo("True");
        assertThat(text(context(), "loud")).isEmpty();
    }

    @Test
    void contextsHaveTheirOwnVariablesDirectoriesAndEnvironments() throws Exception {
        Connection one = context();
        Connection other = context();
        assertThat(run(one, "import os\nx = 1\nos.chdir('/')\nos.environ['A'] = 'b'")
                        .outcome())
                .isEqualTo(CellOutcome.COMPLETED);
        CellResult missing = run(other, "x");
        assertThat(missing.outcome()).isEqualTo(CellOutcome.FAILED);
        assertThat(missing.error().orElseThrow().summary()).isEqualTo("NameError: name 'x' is not defined");
        assertThat(text(other, "import os\nos.getcwd() == '/', os.environ.get('A')"))
                .isEqualTo("(False, None)");
    }

    @Test
    void outputComesAsItIsWrittenAlsoThatOfPrograms() throws Exception {
        Connection context = context();
        CompletableFuture<String> first = new CompletableFuture<>();
        CompletableFuture<CellResult> result = new CompletableFuture<>();
        Path go = directory.resolve("go");
        Thread.ofVirtual().start(() -> {
            CellListener listener = new CellListener() {
                @Override
                public void output(Output output, byte[] piece) {
                    first.complete(new String(piece, UTF_8));
                }
            };
            result.complete(new CellRun(context, Optional.of(LONG), listener)
                    .run(("import os, sys\nprint('first')\nos.mkfifo('" + go + "')\nopen('" + go
                                    + "').read()\nos.system('echo program; echo wrong >&2')\nprint('last', end='')")
                            .getBytes(UTF_8)));
        });
        assertThat(first.join()).isEqualTo("first\n");
        while (!Files.exists(go)) {
            Thread.onSpinWait();
        }
        Files.writeString(go, "now");
        assertThat(result.join().stdout()).isEqualTo("first\nprogram\nlast");
        assertThat(result.join().stderr()).isEqualTo("wrong\n");
    }

    @Test
    void muchOutputComesWhole() throws Exception {
        CellResult result = run(context(), "for i in range(200000): print(i)");
        assertThat(result.stdout()).startsWith("0\n1\n").endsWith("199998\n199999\n");
        assertThat(result.truncated()).isFalse();
    }

    @Test
    void errorsHaveNameValueAndFrames() throws Exception {
        Connection context = context();
        assertThat(text(context, "def f():\n    return 1 / 0\n1")).isEqualTo("1");
        CellResult result = run(context, "print('before')\nf()");
        assertThat(result.outcome()).isEqualTo(CellOutcome.FAILED);
        assertThat(result.stdout()).isEqualTo("before\n");
        assertThat(result.error().orElseThrow().text()).isEqualTo("""
                  <cell 2>, line 2, in <module>
                    f()
                  <cell 1>, line 2, in f
                    return 1 / 0
                ZeroDivisionError: division by zero
                """);
        assertThat(run(context, "x = (\n1 +").error().orElseThrow().name()).isEqualTo("SyntaxError");
        assertThat(run(context, "import sys; sys.exit(3)").error().orElseThrow().summary())
                .isEqualTo("SystemExit: 3");
        assertThat(run(context, "raise ValueError('v' * 20000)").truncated()).isTrue();
        assertThat(run(context, "a\0b").outcome()).isEqualTo(CellOutcome.FAILED);
        assertThat(run(context, "def r(): r()\nr()").error().orElseThrow().name())
                .isEqualTo("RecursionError");
        CellResult wide = run(context, "def r(): r() # " + "😀".repeat(390) + "\nr()");
        assertThat(wide.error().orElseThrow().name()).isEqualTo("RecursionError");
        assertThat(wide.truncated()).isTrue();
        assertThat(run(context, "raise ValueError('\\udcff')").outcome()).isEqualTo(CellOutcome.FAILED);
        assertThat(run(context, "class E(Exception):\n def __str__(self): raise self\nraise E()")
                        .error()
                        .orElseThrow()
                        .summary())
                .isEqualTo("E");
        assertThat(text(context, "1")).isEqualTo("1");
    }

    @Test
    void valuesHaveAllTheirForms() throws Exception {
        CellResult result = run(context(), """
                class Rich:
                    def __repr__(self): return "plain"
                    def _repr_html_(self): return "<b>html</b>"
                    def _repr_markdown_(self): return "*m*"
                    def _repr_svg_(self): return "<svg/>"
                    def _repr_png_(self): return b"\\x89PNG"
                    def _repr_jpeg_(self): return "/9g="
                    def _repr_json_(self): return {"a": [1]}
                    def _repr_latex_(self): return "$x$"
                    def _repr_mimebundle_(self, include=None, exclude=None): return {"text/x-own": "own"}
                class Failing:
                    def __repr__(self): return "plain"
                    def _repr_html_(self): raise ValueError()
                display(Rich(), Failing(), Rich)
                Rich()
                """);
        assertThat(result.value().orElseThrow().types())
                .containsExactly(
                        "text/plain",
                        "text/x-own",
                        "text/html",
                        "text/markdown",
                        "image/svg+xml",
                        "image/png",
                        "image/jpeg",
                        "application/json",
                        "text/latex");
        assertThat(result.value().orElseThrow().bytes("image/png")).contains(new byte[] {(byte) 0x89, 'P', 'N', 'G'});
        assertThat(result.value().orElseThrow().bytes("image/jpeg")).contains(new byte[] {(byte) 0xFF, (byte) 0xD8});
        assertThat(result.value().orElseThrow().text("application/json")).contains("{\"a\": [1]}");
        assertThat(result.displays()).hasSize(3);
        assertThat(result.displays().get(1).types()).containsExactly("text/plain");
        assertThat(result.displays().get(2).types()).containsExactly("text/plain");
    }

    @Test
    void openFiguresAreShown() throws Exception {
        // What matplotlib is to the driver, without it: this host may not have it.
        CellResult result = run(context(), """
                import sys, types
                class Figure:
                    def savefig(self, target, **_): target.write(b"picture")
                plots = types.ModuleType("matplotlib.pyplot")
                figures = {1: Figure()}
                plots.get_fignums = lambda: list(figures)
                plots.figure = figures.get
                plots.close = lambda figure: figures.clear()
                sys.modules["matplotlib.pyplot"] = plots
                """);
        assertThat(result.displays())
                .singleElement()
                .satisfies(figure -> assertThat(figure.text("image/png")).contains("picture"));
    }

    @Test
    void whatIsTooLargeIsCutAndSaid() throws Exception {
        Connection context = context();
        CellResult text = run(context, "class T:\n def __repr__(self): return 'é' * (9 << 20)\nT()");
        assertThat(text.truncated()).isTrue();
        assertThat(text.text()).hasSize(8 << 20);
        CellResult image = run(context, "class P:\n def _repr_png_(self): return b'p' * (17 << 20)\nP()");
        assertThat(image.truncated()).isTrue();
        assertThat(image.value().orElseThrow().types()).containsExactly("text/plain");
        CellResult many = run(
                context,
                "class M:\n def _repr_mimebundle_(self, **_): return {'t/%d' % i: 'x' for i in range(40)}\nM()");
        assertThat(many.truncated()).isTrue();
        assertThat(many.value().orElseThrow().types()).hasSize(32);
        CellResult deep = run(
                context, "class D:\n def _repr_json_(self):\n  x = []\n  for _ in range(70): x = [x]\n  return x\nD()");
        assertThat(deep.truncated()).isTrue();
        assertThat(deep.value().orElseThrow().types()).containsExactly("text/plain");
    }

    @Test
    void anEndlessLoopIsInterruptedAndItsContextGoesOn() throws Exception {
        Connection context = context();
        assertThat(text(context, "x = 5\nx")).isEqualTo("5");
        CellResult result = timedOut(context, "print('on')\nwhile True: pass", SHORT);
        assertThat(result.contextLost()).isFalse();
        assertThat(result.stdout()).isEqualTo("on\n");
        assertThat(result.error().orElseThrow().name()).isEqualTo("KeyboardInterrupt");
        assertThat(text(context, "x")).isEqualTo("5");
        CellResult program =
                timedOut(context, "import os\nprint('on', flush=True)\nos.system('exec sleep 1000')", SHORT);
        assertThat(program.contextLost()).isFalse();
        assertThat(text(context, "x")).isEqualTo("5");
    }

    @Test
    void aCellThatIsInterruptedSaysSo() throws Exception {
        Connection context = context();
        CellResult result = interruptedAtItsOutput(context, "import time\nprint('on')\ntime.sleep(1000)");
        assertThat(result.outcome()).isEqualTo(CellOutcome.INTERRUPTED);
        assertThat(text(context, "1")).isEqualTo("1");
        context.interrupt();
        assertThat(text(context, "2")).isEqualTo("2");
    }

    /** As one that comes just before a system call: Python notes it on another thread, and nothing ends the sleep. */
    @Test
    void anInterruptEndsACallThatDoesNotSeeIt() throws Exception {
        Connection context = context();
        assertThat(interruptedAtItsOutput(context, """
                        import signal, threading, time
                        threading.Thread(target=time.sleep, args=(1000,), daemon=True).start()
                        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
                        print('on')
                        time.sleep(1000)
                        """).outcome()).isEqualTo(CellOutcome.INTERRUPTED);
    }

    @Test
    void anInterruptAtTheBeginningOfACellIsOne() throws Exception {
        Connection context = context();
        for (int i = 0; i < 100; i++) {
            interruptAtTheBeginning(context, "import time\ntime.sleep(1000)");
        }
        assertThat(text(context, "1")).isEqualTo("1");
    }

    @Test
    void anInterruptAtTheBeginningOfTheFirstCellIsOne() throws Exception {
        for (int i = 0; i < 100; i++) {
            try (Connection context = context()) {
                interruptAtTheBeginning(context, "import time\ntime.sleep(1000)");
            }
        }
    }

    @Test
    void aHandlerOfTheCellBeforeHasNoInterrupt() throws Exception {
        Connection context = context();
        for (int i = 0; i < 100; i++) {
            assertThat(run(context, "import signal\nbefore = signal.signal(signal.SIGINT, signal.SIG_DFL)")
                            .outcome())
                    .isEqualTo(CellOutcome.COMPLETED);
            interruptAtTheBeginning(context, "import time\ntime.sleep(1000)");
        }
    }

    @Test
    void aHandlerOfTheCellHasEachInterruptOnce() throws Exception {
        Connection context = context();
        CellResult result = interruptedAtItsOutput(context, """
                import signal, time
                came = []
                signal.signal(signal.SIGINT, lambda *_: came.append(1))
                print('on')
                while not came: time.sleep(0.1)
                until = time.monotonic() + 1
                while time.monotonic() < until: time.sleep(0.1)
                len(came)
                """);
        assertThat(result.value().orElseThrow().text()).isEqualTo("1");
        assertThat(interruptedAtItsOutput(context, "print('on')\ntime.sleep(1000)")
                        .outcome())
                .isEqualTo(CellOutcome.INTERRUPTED);
    }

    private static CellResult interruptedAtItsOutput(Connection context, String code) {
        CellListener interrupting = new CellListener() {
            @Override
            public void output(Output output, byte[] piece) {
                context.interrupt();
            }
        };
        return new CellRun(context, Optional.of(LONG), interrupting).run(code.getBytes(UTF_8));
    }

    @Test
    void anInterruptLeavesWhatIsSaidWhole() throws Exception {
        Connection context = context();
        assertThat(run(context, "class P:\n def _repr_png_(self): return b'p' * (8 << 20)\np = P()")
                        .outcome())
                .isEqualTo(CellOutcome.COMPLETED);
        for (int i = 0; i < 5; i++) {
            CellResult result = run(context, "while True: display(p)", SHORT);
            assertThat(result.outcome()).isEqualTo(CellOutcome.TIMED_OUT);
            assertThat(result.contextLost()).isFalse();
            assertThat(text(context, "1")).isEqualTo("1");
        }
    }

    @Test
    void whatThreadsShowBetweenCellsComesWithTheNext() throws Exception {
        Connection context = context();
        assertThat(run(context, """
                        import threading
                        def work():
                            for i in range(2000): display(i)
                        threads = [threading.Thread(target=work) for _ in range(4)]
                        for thread in threads: thread.start()
                        """).outcome()).isEqualTo(CellOutcome.COMPLETED);
        int shown = 0;
        for (int i = 0; i < 10; i++) {
            shown += run(context, "1").displays().size();
        }
        CellResult last = run(context, "for thread in threads: thread.join()");
        assertThat(last.outcome()).isEqualTo(CellOutcome.COMPLETED);
        assertThat(shown + last.displays().size()).isBetween(1, 8000);
    }

    @Test
    void oneThatDoesNotStopLosesItsContextAndNoOther() throws Exception {
        Connection context = context();
        Connection other = context();
        assertThat(text(other, "x = 1\nx")).isEqualTo("1");
        CellResult result = killed(
                context,
                "import signal\nsignal.signal(signal.SIGINT, signal.SIG_IGN)\nwhile True: pass",
                Duration.ofSeconds(5));
        assertThat(result.contextLost()).isTrue();
        assertThat(text(other, "x")).isEqualTo("1");
    }

    @Test
    void aProcessThatEndsEndsItsContextAlone() throws Exception {
        Connection other = context();
        assertThat(text(other, "x = 1\nx")).isEqualTo("1");
        CellResult exit = run(context(), "import os\nprint('bye')\nos._exit(3)");
        assertThat(exit.outcome()).isEqualTo(CellOutcome.CONTEXT_ENDED);
        assertThat(exit.stdout()).isEqualTo("bye\n");
        assertThat(exit.notice()).startsWith("The process of the context ended with exit code 3.");
        CellResult killed = run(context(), "import os\nos.kill(os.getpid(), 9)");
        assertThat(killed.notice()).startsWith("The process of the context ended by signal 9");
        CellResult closed = run(context(), "import os\nos.closerange(0, 4096)");
        assertThat(closed.outcome()).isEqualTo(CellOutcome.CONTEXT_ENDED);
        assertThat(text(other, "x")).isEqualTo("1");
    }

    /** Also while code runs that neither looks for signals nor lets another thread run. */
    @Test
    void contextsAndTheirProgramsEndWithADriverThatIsKilled() throws Exception {
        Path own = Files.createDirectory(directory.resolve("killed"));
        DriverOnHost.start(own, "python3", "python.py", List.of(), Map.of())
                .killDuring("import os, subprocess; program = subprocess.Popen(['sleep', '1000']);"
                        + " print(os.getpid(), program.pid); sum(iter(int, 1))");
    }

    @Test
    void aContextThatEndsBeforeItReadsItsCellSaysHow() throws Exception {
        Connection context = context();
        long pid = Long.parseLong(text(context, """
                import os, signal, socket, time
                context = os.getpid()
                if os.fork() == 0:
                    while ") T " not in open(f"/proc/{context}/stat").read(): time.sleep(0.01)
                    with socket.socket(fileno=next(
                        one for one in range(200, 300) if "socket" in os.readlink(f"/proc/self/fd/{one}")
                    )) as link:
                        link.recv(1, socket.MSG_PEEK)
                    os.kill(context, signal.SIGKILL)
                    os._exit(0)
                context
                """));
        assertThat(DriverOnHost.succeeds("kill", "-STOP", String.valueOf(pid))).isTrue();
        CellResult result = run(context, "1");
        assertThat(result.outcome()).isEqualTo(CellOutcome.CONTEXT_ENDED);
        assertThat(result.notice()).contains("by signal 9");
    }

    @Test
    void aChildThatRunsOutOfItsCellIsNoSecondContext() throws Exception {
        Connection context = context();
        assertThat(run(context, "import os\np = os.fork()\nif p: os.waitpid(p, 0)")
                        .outcome())
                .isEqualTo(CellOutcome.COMPLETED);
        assertThat(text(context, "1")).isEqualTo("1");
    }

    @Test
    void aCellCanCloseItsOutputs() throws Exception {
        Connection context = context();
        assertThat(run(context, "import os, sys\nsys.stdout.close()\nos.close(1)\nos.close(2)")
                        .outcome())
                .isEqualTo(CellOutcome.COMPLETED);
        assertThat(text(context, "1")).isEqualTo("1");
    }

    @Test
    void randomNumbersDifferInAllContexts() throws Exception {
        List<String> numbers = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            numbers.add(
                    text(context(), "import random, uuid, tempfile\nrandom.random(), uuid.uuid4(), tempfile.mktemp()"));
        }
        assertThat(numbers).doesNotHaveDuplicates();
        Connection forking = context();
        assertThat(text(forking, """
                import os, random
                def child():
                    r, w = os.pipe()
                    if os.fork() == 0:
                        os.write(w, repr(random.random()).encode())
                        os._exit(0)
                    os.close(w)
                    return os.read(r, 100)
                child() == child()
                """)).isEqualTo("False");
    }

    @Test
    void thereAre32Contexts() throws Exception {
        List<Connection> contexts = new ArrayList<>();
        for (int i = 0; i < 32; i++) {
            contexts.add(context());
        }
        assertThat(connect().ask("context", new byte[0], Deadline.after(LONG))).isEqualTo(new Answer.Refused());
        assertThat(run(contexts.getFirst(), "import os\nos._exit(0)").contextLost())
                .isTrue();
        assertThat(text(context(), "1")).isEqualTo("1");
    }

    @Test
    void codeIsAskedWhetherItIsWhole() throws Exception {
        Connection context = context();
        assertThat(isComplete(context, "x = 1")).isTrue();
        assertThat(isComplete(context, "def f():")).isFalse();
        assertThat(isComplete(context, "def f():\n  return 1\n")).isTrue();
        assertThat(isComplete(context, "f(")).isFalse();
        assertThat(isComplete(context, "f)")).isTrue();
    }

    /** Each cell is one statement: that is what a prompt takes. */
    private static final List<String> CELLS = List.of(
            "1 + 1",
            "x = 3",
            "x",
            "x ** 100",
            "-x // 2",
            "1 / 3",
            "0.1 + 0.2",
            "float('nan')",
            "1e400",
            "3 + 4j",
            "True and 0",
            "None",
            "...",
            "'a' + \"b\"",
            "'a\\n\\t\\x00é😀'",
            "b'\\xff'",
            "print('out')",
            "print('a', 'b', sep='-', end='')",
            "[i * i for i in range(5)]",
            "{'b': 1, 'a': [2]}",
            "{1, 1, 1}",
            "set()",
            "(1,)",
            "list('abc')[::-1]",
            "_",
            "def f(a, b=2, *c, **d):\n    return a, b, c, d\n",
            "f(1)",
            "f(1, 3, 4, e=5)",
            "f.__name__",
            "(lambda: 0)()",
            "for i in range(3):\n    print(i)\n",
            "i",
            "while i:\n    i -= 1\nelse:\n    print('else')\n",
            "class A:\n    def __repr__(self):\n        return 'an A'\n",
            "A()",
            "A().missing",
            "missing",
            "1 / 0",
            "[][1]",
            "{}['k']",
            "int('x')",
            "raise KeyError('k')",
            "raise ValueError",
            "x = (",
            "1 +",
            "if x: pass",
            "import math, json",
            "math.pi",
            "json.dumps({'a': None})",
            "with open('/dev/null') as n:\n    w = n.read()\n",
            "assert x == 4, 'no'",
            "try:\n    1 / 0\nexcept ZeroDivisionError as e:\n    print(type(e))\n",
            "e",
            "y: int = 5",
            "y",
            "del y",
            "y",
            "import sys; sys.stderr.write('') and None",
            "[print(n) for n in 'ab']",
            "print(*range(3), sep='\\n')",
            "(z := 7)",
            "z",
            "f'{z!r:>3}'",
            "yield 1",
            "return",
            "exec('q = 1')",
            "q",
            "globals() is locals()",
            "id(None) == id(None)",
            "sum(range(10 ** 5))",
            "sorted('hello', reverse=True)",
            "type(_)");

    @Test
    void cellsDoWhatTheyDoAtThePromptOfPython() throws Exception {
        Connection context = context();
        Process prompt = new ProcessBuilder("python3", "-q", "-u", "-i", "-c", "import sys; sys.ps1 = sys.ps2 = ''")
                .redirectErrorStream(true)
                .start();
        try (BufferedWriter typed = prompt.outputWriter(UTF_8);
                BufferedReader shown = prompt.inputReader(UTF_8)) {
            for (String cell : CELLS) {
                // A line by itself ends a cell that is not whole, as an empty one does not.
                typed.write(cell + "\n" + (cell.endsWith("(") ? ")]\n" : "\n") + "print('\\nend of cell')\n");
                typed.flush();
                StringBuilder expected = new StringBuilder();
                for (String line = shown.readLine(); !line.equals("end of cell"); line = shown.readLine()) {
                    expected.append(line).append('\n');
                }
                CellResult result = run(context, cell);
                String value = result.value().isPresent() ? result.text() + "\n" : "";
                if (result.error().isPresent()) {
                    String name = result.error().get().name();
                    assertThat(expected.toString()).as(cell).contains("\n" + name);
                } else {
                    assertThat(result.stdout() + value + "\n").as(cell).isEqualTo(expected.toString());
                }
            }
        } finally {
            prompt.destroyForcibly();
        }
    }
}
