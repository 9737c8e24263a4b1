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

import dev.cloche.base.Deadline;
import dev.cloche.interpreter.CellListener;
import dev.cloche.interpreter.CellOutcome;
import dev.cloche.interpreter.CellResult;
import dev.cloche.interpreter.protocol.Answer;
import dev.cloche.vm.Output;
import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The driver of JavaScript as a process of this host. */
class JavascriptDriverTest {
    private static final Duration SHORT = Duration.ofMillis(500);

    @TempDir
    Path directory;

    private DriverOnHost driver;

    @BeforeEach
    void start() throws Exception {
        Assumptions.assumeTrue(
                DriverOnHost.succeeds("node", "-e", "process.exit(process.versions.node.split('.')[0] < 18 ? 1 : 0)"),
                "node of 18 or newer is not on this host");
        driver = start("one", Map.of());
    }

    private DriverOnHost start(String name, Map<String, String> environment) throws Exception {
        Path own = Files.createDirectory(directory.resolve(name));
        return DriverOnHost.start(own, "node", "javascript.js", List.of(), environment);
    }

    @AfterEach
    void end() throws Exception {
        if (driver != null) {
            driver.close();
            assertThat(driver.errors()).isEmpty();
        }
    }

    @Test
    void whatANewVmOfAPoolDoesRunsCells() throws Exception {
        List<String> dialled = new ArrayList<>();
        new DriverExercise("/run/driver").accept(driver.guest(dialled));
        assertThat(dialled).hasSize(3);
        assertThat(text(driver.context(), "typeof _")).isEqualTo("'undefined'");
    }

    @Test
    void theLastExpressionIsTheValueAndVariablesStay() throws Exception {
        Connection context = driver.context();
        assertThat(text(context, "6 * 7")).isEqualTo("42");
        assertThat(run(context, "let x = 3; const f = a => a * x").value()).isEmpty();
        assertThat(text(context, "f(5)")).isEqualTo("15");
        assertThat(text(context, "_ + 1")).isEqualTo("16");
        assertThat(text(context, "'é😀'")).isEqualTo("'é😀'");
        assertThat(text(context, "const y = await new Promise(done => setTimeout(() => done(7), 1)); y"))
                .isEqualTo("7");
        assertThat(text(context, "y + x")).isEqualTo("10");
        assertThat(text(context, "(await import('node:path')).sep")).isEqualTo("'/'");
        assertThat(text(context, "require('os').EOL + fs.existsSync('/')")).isEqualTo("'\\ntrue'");
        assertThat(text(context, "Promise.resolve(5)")).startsWith("Promise {");
        assertThat(run(context, "").outcome()).isEqualTo(CellOutcome.COMPLETED);
    }

    @Test
    void contextsAreSeparateAndTheirRandomNumbersDiffer() throws Exception {
        Connection one = driver.context();
        Connection other = driver.context();
        assertThat(run(one, "var x = 1; process.chdir('/'); process.env.A = 'b'")
                        .outcome())
                .isEqualTo(CellOutcome.COMPLETED);
        assertThat(run(other, "x").error().orElseThrow().summary()).isEqualTo("ReferenceError: x is not defined");
        assertThat(text(other, "[process.cwd() === '/', process.env.A]")).isEqualTo("[ false, undefined ]");
        List<String> drawn = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            Connection context = driver.context();
            drawn.add(text(context, "Math.random()"));
            drawn.add(text(context, "require('crypto').randomBytes(8).toString('hex')"));
        }
        assertThat(drawn).doesNotHaveDuplicates();
    }

    @Test
    void outputComesInTheOrderItIsWrittenAlsoThatOfPrograms() throws Exception {
        Connection context = driver.context();
        CellResult result = run(
                context,
                "console.log('first'); console.error('wrong');"
                        + " child_process.execSync('echo program', {stdio: 'inherit'}); process.stdout.write('last')");
        assertThat(result.stdout()).isEqualTo("first\nprogram\nlast");
        assertThat(result.stderr()).isEqualTo("wrong\n");
        CellResult much = run(context, "for (let i = 0; i < 200000; i++) console.log(i)");
        assertThat(much.stdout()).startsWith("0\n1\n").endsWith("199998\n199999\n");
        assertThat(run(context, "process.stdin.read()").text()).isEqualTo("null");
    }

    @Test
    void errorsHaveNameValueAndFrames() throws Exception {
        Connection context = driver.context();
        assertThat(run(context, "function f() {\n  throw new TypeError('no')\n}")
                        .outcome())
                .isEqualTo(CellOutcome.COMPLETED);
        CellResult result = run(context, "console.log('before')\nf()");
        assertThat(result.outcome()).isEqualTo(CellOutcome.FAILED);
        assertThat(result.stdout()).isEqualTo("before\n");
        assertThat(result.error().orElseThrow().text()).isEqualTo("""
                  <cell 2>, line 2
                    f()
                  <cell 1>, line 2, in f
                    throw new TypeError('no')
                TypeError: no
                """);
        assertThat(run(context, "1;\nx = )").error().orElseThrow().frames())
                .singleElement()
                .satisfies(frame -> assertThat(frame.line()).isEqualTo(2));
        assertThat(run(context, "throw 5").error().orElseThrow().summary()).isEqualTo("Uncaught: 5");
        assertThat(run(context, "await Promise.reject(new RangeError('r'))")
                        .error()
                        .orElseThrow()
                        .summary())
                .isEqualTo("RangeError: r");
        assertThat(run(context, "await missing").error().orElseThrow().name()).isEqualTo("ReferenceError");
        assertThat(run(context, "throw new Error('v'.repeat(20000))").truncated())
                .isTrue();
        assertThat(run(context, "(function g() { g() })()")
                        .error()
                        .orElseThrow()
                        .name())
                .isEqualTo("RangeError");
        assertThat(run(context, "throw {get message() { throw this }, toString() { throw this }}")
                        .outcome())
                .isEqualTo(CellOutcome.FAILED);
        assertThat(run(context, "throw new Proxy({}, {get() { throw 1 }, getPrototypeOf() { throw 2 }})")
                        .outcome())
                .isEqualTo(CellOutcome.FAILED);
        assertThat(run(
                                context,
                                "setTimeout(() => { throw new Error('late') }, 1);"
                                        + " await new Promise(done => setTimeout(done, 50))")
                        .stderr())
                .startsWith("Uncaught Error: late");
        assertThat(text(context, "1")).isEqualTo("1");
    }

    @Test
    void valuesHaveTheFormsThatTheyOffer() throws Exception {
        Connection context = driver.context();
        CellResult result = run(
                context,
                "const rich = {[Symbol.for('Jupyter.display')]: () => ({'text/plain': 'own', 'text/html': '<b>',"
                        + " 'image/png': Buffer.from('picture'), 'image/jpeg': '/9g=', 'application/json': {a: [1]}})};"
                        + " display(1, rich); rich");
        assertThat(result.displays()).hasSize(2);
        assertThat(result.displays().getFirst().text()).isEqualTo("1");
        assertThat(result.value().orElseThrow().types())
                .containsExactly("text/plain", "text/html", "image/png", "image/jpeg", "application/json");
        assertThat(result.text()).isEqualTo("own");
        assertThat(result.value().orElseThrow().text("image/png")).contains("picture");
        assertThat(result.value().orElseThrow().bytes("image/jpeg")).contains(new byte[] {(byte) 0xFF, (byte) 0xD8});
        assertThat(result.value().orElseThrow().text("application/json")).contains("{\"a\":[1]}");
        CellResult failing = run(context, "({[Symbol.for('Jupyter.display')]() { throw 1 }})");
        assertThat(failing.value().orElseThrow().types()).containsExactly("text/plain");
    }

    @Test
    void whatIsTooLargeIsCutAndSaid() throws Exception {
        Connection context = driver.context();
        String form = "({[Symbol.for('Jupyter.display')]: () => (%s)})";
        CellResult text = run(context, form.formatted("{'text/plain': 'é'.repeat(9 << 20)}"));
        assertThat(text.truncated()).isTrue();
        assertThat(text.text()).hasSize(8 << 20);
        CellResult image = run(context, form.formatted("{'image/png': Buffer.alloc(17 << 20)}"));
        assertThat(image.truncated()).isTrue();
        assertThat(image.value().orElseThrow().types()).containsExactly("text/plain");
        CellResult many =
                run(context, form.formatted("Object.fromEntries([...Array(40).keys()].map(i => ['t/' + i, 'x']))"));
        assertThat(many.truncated()).isTrue();
        assertThat(many.value().orElseThrow().types()).hasSize(32);
    }

    @Test
    void anEndlessLoopIsInterruptedAndItsContextGoesOn() throws Exception {
        Connection context = driver.context();
        assertThat(text(context, "let x = 5; x")).isEqualTo("5");
        for (String endless : List.of(
                "while (true);",
                "while (true) console.log('x')",
                "while (true) display(x)",
                "await new Promise(() => {})",
                "child_process.execSync('exec sleep 1000')",
                "({[util.inspect.custom]() { while (true); }})",
                "throw {[util.inspect.custom]() { while (true); }}")) {
            CellResult result = timedOut(context, "console.log('on'); " + endless, SHORT);
            assertThat(result.contextLost()).as(endless).isFalse();
            assertThat(result.stdout()).as(endless).startsWith("on\n");
            CellResult after = run(context, "console.log('after'); x");
            assertThat(after.stdout()).as(endless).isEqualTo("after\n");
            assertThat(after.text()).as(endless).isEqualTo("5");
        }
    }

    @Test
    void aCellThatIsInterruptedSaysSo() throws Exception {
        Connection context = driver.context();
        CellListener listener = new CellListener() {
            @Override
            public void output(Output output, byte[] piece) {
                context.interrupt();
            }
        };
        CellResult result = new CellRun(context, Optional.of(LONG), listener)
                .run("console.log('on'); while (true);".getBytes(UTF_8));
        assertThat(result.outcome()).isEqualTo(CellOutcome.INTERRUPTED);
        context.interrupt();
        assertThat(text(context, "2")).isEqualTo("2");
    }

    @Test
    void anInterruptAtTheBeginningOfACellIsOne() throws Exception {
        for (int i = 0; i < 5; i++) {
            Connection context = driver.context();
            for (String endless : List.of("while (true);", "await new Promise(() => {})", "while (true);")) {
                interruptAtTheBeginning(context, endless);
            }
            assertThat(text(context, "1")).isEqualTo("1");
        }
    }

    @Test
    void whatDoesNotListenToAnInterruptIsKilled() throws Exception {
        Connection context = driver.context();
        CellResult result = killed(context, "await 1; while (true);", SHORT);
        assertThat(result.contextLost()).isTrue();
    }

    @Test
    void anInterruptOfAQuestionIsNotOneOfTheNextCell() throws Exception {
        Connection context = driver.context();
        String much = "1;".repeat(100_000); // So that the interrupt meets the question.
        for (int i = 0; i < 20; i++) {
            FutureTask<Boolean> question = new FutureTask<>(() -> isComplete(context, much));
            Thread.ofVirtual().start(question);
            context.interrupt();
            assertThat(question.get()).isTrue();
            assertThat(run(context, "for (let i = 0; i < 1e7; i++);").outcome()).isEqualTo(CellOutcome.COMPLETED);
        }
    }

    @Test
    void codeMayFreezeWhatIsGlobal() throws Exception {
        Connection context = driver.context();
        assertThat(text(context, "Object.freeze(globalThis); 1")).isEqualTo("1");
        assertThat(text(context, "let x = 2; x")).isEqualTo("2");
        interruptAtTheBeginning(context, "while (true);");
        assertThat(text(context, "x")).isEqualTo("2");
    }

    @Test
    void aProcessThatEndsEndsItsContextAlone() throws Exception {
        Connection other = driver.context();
        assertThat(text(other, "let x = 1; x")).isEqualTo("1");
        CellResult exit = run(driver.context(), "console.log('bye'); display(1); process.exit(3)");
        assertThat(exit.outcome()).isEqualTo(CellOutcome.CONTEXT_ENDED);
        assertThat(exit.stdout()).isEqualTo("bye\n");
        assertThat(exit.notice()).startsWith("The process of the context ended with exit code 3.");
        assertThat(run(driver.context(), "process.kill(process.pid, 9); while (true);")
                        .notice())
                .startsWith("The process of the context ended by signal 9");
        CellResult closed = run(driver.context(), "for (let i = 0; i < 100; i++) try { fs.closeSync(i) } catch {}");
        assertThat(closed.outcome()).isEqualTo(CellOutcome.CONTEXT_ENDED);
        assertThat(text(other, "x")).isEqualTo("1");
    }

    @Test
    void contextsAndTheirProgramsEndWithADriverThatIsKilled() throws Exception {
        start("killed", Map.of())
                .killDuring("const program = child_process.spawn('sleep', ['1000']);"
                        + " console.log(process.pid + ' ' + program.pid); while (true);");
    }

    @Test
    void anImageWithoutAShellHasContextsToo() throws Exception {
        try (DriverOnHost shellLess = start("shell-less", Map.of("PATH", directory.toString()))) {
            assertThat(text(shellLess.context(), "6 * 7")).isEqualTo("42");
            assertThat(shellLess.errors()).isEmpty();
        }
    }

    @Test
    void thereAre32Contexts() throws Exception {
        List<Connection> contexts = new ArrayList<>();
        for (int i = 0; i < 32; i++) {
            contexts.add(driver.context());
        }
        assertThat(driver.connect().ask("context", new byte[0], Deadline.after(LONG)))
                .isEqualTo(new Answer.Refused());
        assertThat(run(contexts.getFirst(), "process.exit(0)").contextLost()).isTrue();
        assertThat(text(driver.context(), "1")).isEqualTo("1");
    }

    @Test
    void codeIsAskedWhetherItIsWhole() throws Exception {
        Connection context = driver.context();
        for (String whole : List.of("x = 1", "f)", "await 1", "function f() {\n}", "{a: 1}")) {
            assertThat(isComplete(context, whole)).as(whole).isTrue();
        }
        for (String part : List.of("function f() {", "f(", "`a", "if (1) {", "[1,")) {
            assertThat(isComplete(context, part)).as(part).isFalse();
        }
    }

    /** None waits: the prompt reads on meanwhile where it has no terminal. */
    private static final List<String> CELLS = List.of(
            "1 + 1",
            "x = 3",
            "x",
            "2 ** 100",
            "-x % 2",
            "1 / 3",
            "0.1 + 0.2",
            "NaN",
            "1e400",
            "10n ** 20n",
            "true && 0",
            "null",
            "undefined",
            "'a' + \"b\"",
            "'a\\n\\t\\x00é😀'",
            "`${x}`",
            "console.log('out')",
            "console.log('a', {b: 1}, [2])",
            "[1, 2, 3].map(i => i * i)",
            "({b: 1, a: [2]})",
            "{a: 1}",
            "{ let q = 1; q }",
            "new Set([1, 1])",
            "new Map([[1, {a: 2}]])",
            "[...'abc'].reverse()",
            "_",
            "function f(a, b = 2, ...c) { return [a, b, c] }",
            "f(1)",
            "f(1, 3, 4, 5)",
            "f.name",
            "(() => 0)()",
            "for (let i = 0; i < 3; i++) console.log(i)",
            "let i = 2",
            "while (i) i--",
            "class A { #p = 1; q = 2 }",
            "new A()",
            "new A().missing",
            "missing",
            "null.a",
            "JSON.parse('{')",
            "throw new Error('k')",
            "1 +* 2",
            "if (x) { 'yes' } else { 'no' }",
            "const c = 1",
            "c = 2",
            "Math.PI",
            "JSON.stringify({a: null})",
            "typeof x",
            "void 0",
            "/a+/g.exec('caat')",
            "new Date(0)",
            "Symbol('s')",
            "[undefined, , null]",
            "async function g() { return 5 }",
            "try { null.a } catch (e) { console.log(e.name) }",
            "label: for (;;) break label",
            "var v = 5; v",
            "delete globalThis.v",
            "Object.create(null)",
            "new Error('shown').message",
            "Array(3)",
            "Array.from({length: 101}, (_, n) => n).length",
            "'x'.repeat(200)",
            "x?.y ?? 'none'",
            "[1, 2].includes(2)",
            "new Uint8Array(3)",
            "require('path').basename('/a/b')");

    @Test
    void cellsDoWhatTheyDoAtThePromptOfNode() throws Exception {
        Connection context = driver.context();
        Process prompt = new ProcessBuilder(
                        "node", "-e", "require('repl').start({prompt: '', terminal: false, useGlobal: true})")
                .redirectErrorStream(true)
                .start();
        try (BufferedWriter typed = prompt.outputWriter(UTF_8);
                BufferedReader shown = prompt.inputReader(UTF_8)) {
            for (String cell : CELLS) {
                typed.write(cell + "\nconsole.log('end of cell') || _\n");
                typed.flush();
                StringBuilder expected = new StringBuilder();
                for (String line = shown.readLine(); !line.equals("end of cell"); line = shown.readLine()) {
                    expected.append(line).append('\n');
                }
                shown.readLine();
                CellResult result = run(context, cell);
                if (result.error().isPresent()) {
                    assertThat(expected.toString())
                            .as(cell)
                            .contains("Uncaught", result.error().get().value());
                } else {
                    String value = result.value().isPresent() ? result.text() + "\n" : "undefined\n";
                    assertThat(result.stdout() + value).as(cell).isEqualTo(expected.toString());
                }
            }
        } finally {
            prompt.destroyForcibly();
        }
    }
}
