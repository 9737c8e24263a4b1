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
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The driver of Java as a process of the JDK that runs this test. */
class JavaDriverTest {
    private static final Duration SHORT = Duration.ofSeconds(1);

    @TempDir
    private static Path directory;

    /** One for all: it compiles itself at its start. */
    private static DriverOnHost driver;

    /** It is closed while the tests run. */
    private static SocketChannel silent;

    private static String program(String name) {
        return Path.of(System.getProperty("java.home"), "bin", name).toString();
    }

    private static DriverOnHost start(String name) throws Exception {
        Path own = Files.createDirectory(directory.resolve(name));
        // A library, as an image may have some.
        String library = Path.of(Assertions.class
                        .getProtectionDomain()
                        .getCodeSource()
                        .getLocation()
                        .toURI())
                .toString();
        return DriverOnHost.start(own, program("java"), "java-cells.java", List.of(), Map.of("CLASSPATH", library));
    }

    @BeforeAll
    static void start() throws Exception {
        driver = start("one");
        silent = driver.connectSilently();
    }

    @AfterEach
    void closeContexts() {
        driver.closeContexts();
    }

    @AfterAll
    static void end() throws Exception {
        assertThat(silent.read(ByteBuffer.allocate(1)))
                .as("what says nothing is closed")
                .isEqualTo(-1);
        driver.close();
        assertThat(driver.errors()).isEmpty();
    }

    @Test
    void theLastExpressionIsTheValueAndDeclarationsStay() throws Exception {
        Connection context = driver.context();
        assertThat(text(context, "6 * 7")).isEqualTo("42");
        assertThat(run(context, "int x = 3;\nint f(int a) {\n  return a * x;\n}")
                        .value())
                .isEmpty();
        assertThat(text(context, "f(5)")).isEqualTo("15");
        assertThat(text(context, "$1 + 1")).isEqualTo("43");
        assertThat(text(context, "record Point(int x, int y) {} new Point(1, 2)"))
                .isEqualTo("Point[x=1, y=2]");
        assertThat(text(context, "\"é😀\"")).isEqualTo("\"é😀\"");
        assertThat(text(context, "Stream.of(3, 1, 2).sorted().toList()")).isEqualTo("[1, 2, 3]");
        assertThat(text(context, "org.assertj.core.util.Lists.list(1, 2).size()"))
                .isEqualTo("2");
        assertThat(run(context, "").outcome()).isEqualTo(CellOutcome.COMPLETED);
        assertThat(run(context, "int g() { return h(); }").stderr()).contains("method h()");
        assertThat(text(context, "int h() { return 8; } g()")).isEqualTo("8");
    }

    @Test
    void contextsAreSeparateAndTheirRandomNumbersDiffer() throws Exception {
        Connection one = driver.context();
        Connection other = driver.context();
        assertThat(run(one, "int x = 1; System.setProperty(\"a\", \"b\")").outcome())
                .isEqualTo(CellOutcome.COMPLETED);
        assertThat(run(other, "x").error().orElseThrow().value()).contains("cannot find symbol", "variable x");
        assertThat(text(other, "System.getProperty(\"a\")")).isEqualTo("null");
        List<String> drawn = new ArrayList<>();
        for (Connection context : List.of(one, other, driver.context())) {
            drawn.add(text(context, "Math.random()"));
            drawn.add(text(context, "ThreadLocalRandom.current().nextLong()"));
            drawn.add(text(context, "UUID.randomUUID()"));
        }
        assertThat(drawn).doesNotHaveDuplicates();
    }

    @Test
    void outputComesInTheOrderItIsWrittenAndThatOfProgramsToo() throws Exception {
        Connection context = driver.context();
        CellResult result = run(
                context,
                "System.out.println(\"first\"); System.err.println(\"wrong\"); display(5); System.out.print(\"last\")");
        assertThat(result.stdout()).isEqualTo("first\nlast");
        assertThat(result.stderr()).isEqualTo("wrong\n");
        assertThat(run(context, "new ProcessBuilder(\"echo\", \"program\").inheritIO().start().waitFor()")
                        .stdout())
                .isEqualTo("program\n");
        CellResult much = run(context, "for (int i = 0; i < 200000; i++) System.out.println(i);");
        assertThat(much.stdout()).startsWith("0\n1\n").endsWith("199998\n199999\n");
        assertThat(text(context, "System.in.read()")).isEqualTo("-1");
    }

    @Test
    void errorsHaveNameValueAndFrames() throws Exception {
        Connection context = driver.context();
        assertThat(run(context, "void f() {\n  throw new IllegalStateException(\"no\");\n}")
                        .outcome())
                .isEqualTo(CellOutcome.COMPLETED);
        CellResult result = run(context, "System.out.println(\"before\");\nf()");
        assertThat(result.outcome()).isEqualTo(CellOutcome.FAILED);
        assertThat(result.stdout()).isEqualTo("before\n");
        assertThat(result.error().orElseThrow().text()).isEqualTo("""
                  <cell 2>, line 2
                    f()
                  <cell 1>, line 2, in f
                    throw new IllegalStateException("no");
                java.lang.IllegalStateException: no
                """);
        CellResult rejected = run(context, "int a = 1;\n\nint b = \"x\";");
        assertThat(rejected.error().orElseThrow().name()).isEqualTo("CompilationError");
        assertThat(rejected.error().orElseThrow().frames()).singleElement().satisfies(frame -> {
            assertThat(frame.line()).isEqualTo(3);
            assertThat(frame.source()).isEqualTo("int b = \"x\";");
        });
        assertThat(run(context, "throw new Exception(\"v\".repeat(20000))").truncated())
                .isTrue();
        assertThat(run(context, "int deep(int n) { return deep(n + 1) + 1; } deep(0)")
                        .error()
                        .orElseThrow()
                        .name())
                .isEqualTo("java.lang.StackOverflowError");
        assertThat(run(
                                context,
                                "class Bad { public String toString() { throw new RuntimeException(\"t\"); } } new Bad()")
                        .outcome())
                .isEqualTo(CellOutcome.FAILED);
        assertThat(run(context, "class Mine extends RuntimeException {} throw new Mine()")
                        .error()
                        .orElseThrow()
                        .name())
                .isEqualTo("Mine");
        assertThat(run(context, "String none = null; none.length()")
                        .error()
                        .orElseThrow()
                        .value())
                .endsWith("because \"none\" is null");
        assertThat(text(context, "a")).isEqualTo("1");
    }

    @Test
    void valuesHaveTheFormsThatTheyOffer() throws Exception {
        Connection context = driver.context();
        CellResult result = run(
                context,
                "display(1, \"b\"); displayData(\"text/html\", \"<b>\"); new java.awt.image.BufferedImage(2, 2, 1)");
        assertThat(result.displays()).hasSize(3);
        assertThat(result.displays().get(1).text()).isEqualTo("\"b\"");
        assertThat(result.displays().getLast().text("text/html")).contains("<b>");
        assertThat(result.value().orElseThrow().types()).containsExactly("text/plain", "image/png");
        assertThat(result.value().orElseThrow().bytes("image/png").orElseThrow())
                .startsWith(0x89, 'P', 'N', 'G');
        CellResult large = run(context, "displayData(\"image/png\", new byte[17 << 20]); \"é\".repeat(9 << 20)");
        assertThat(large.truncated()).isTrue();
        assertThat(large.displays().getFirst().types()).containsExactly("text/plain");
        assertThat(large.text()).hasSizeBetween((8 << 20) - 1, 8 << 20);
    }

    @Test
    void anEndlessLoopIsInterruptedAndItsContextGoesOn() throws Exception {
        Connection context = driver.context();
        assertThat(text(context, "int x = 5; x")).isEqualTo("5");
        for (String endless : List.of(
                "while (true);",
                "while (true) System.out.println(\"x\");",
                "while (true) display(x);",
                "Thread.sleep(1_000_000);",
                "new Semaphore(0).acquire();",
                "new ProcessBuilder(\"sleep\", \"1000\").inheritIO().start().waitFor();",
                "class Loop { public String toString() { while (true); } } new Loop()")) {
            CellResult result = timedOut(context, "System.out.println(\"on\"); " + endless, SHORT);
            assertThat(result.contextLost()).as(endless).isFalse();
            assertThat(result.stdout()).as(endless).startsWith("on\n");
            CellResult after = run(context, "System.out.println(\"after\"); x");
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
                .run("System.out.println(\"on\"); while (true);".getBytes(UTF_8));
        assertThat(result.outcome()).isEqualTo(CellOutcome.INTERRUPTED);
        context.interrupt();
        assertThat(text(context, "2")).isEqualTo("2");
    }

    @Test
    void anInterruptAtTheBeginningOfACellIsOne() throws Exception {
        for (int i = 0; i < 2; i++) {
            Connection context = driver.context();
            for (String endless : List.of("while (true);", "Thread.sleep(1_000_000);", "while (true);")) {
                interruptAtTheBeginning(context, endless);
            }
            assertThat(text(context, "1")).isEqualTo("1");
        }
    }

    @Test
    void whatDoesNotListenToAnInterruptIsKilled() throws Exception {
        Connection context = driver.context();
        var _ = killed(
                context,
                "var t = new Thread(() -> { while (true); }); t.start(); while (true) try { t.join(); }"
                        + " catch (Throwable again) { }",
                SHORT);
        assertThat(text(driver.context(), "1")).isEqualTo("1");
    }

    @Test
    void aProcessThatEndsEndsItsContextAlone() throws Exception {
        Connection other = driver.context();
        assertThat(text(other, "int x = 1; x")).isEqualTo("1");
        CellResult exit = run(driver.context(), "System.out.print(\"bye\"); display(1); System.exit(3)");
        assertThat(exit.outcome()).isEqualTo(CellOutcome.CONTEXT_ENDED);
        assertThat(exit.stdout()).isEqualTo("bye");
        assertThat(exit.displays()).hasSize(1);
        assertThat(exit.notice()).startsWith("The process of the context ended with exit code 3.");
        assertThat(run(
                                driver.context(),
                                "new ProcessBuilder(\"kill\", \"-9\", \"\" + ProcessHandle.current().pid()).start().waitFor();"
                                        + " while (true);")
                        .notice())
                .startsWith("The process of the context ended by signal 9");
        assertThat(text(other, "x")).isEqualTo("1");
    }

    /** A thread of each context reads on while its code runs. */
    @Test
    void contextsEndWithADriverThatIsKilled() throws Exception {
        start("killed").killDuring("System.out.println(ProcessHandle.current().pid()); while (true);");
    }

    @Test
    void codeIsAskedWhetherItIsWhole() throws Exception {
        Connection context = driver.context();
        for (String whole : List.of("int x = 1", "int x = 1;", "f)", "void f() {\n}", "x; y")) {
            assertThat(isComplete(context, whole)).as(whole).isTrue();
        }
        for (String part : List.of("void f() {", "f(", "\"\"\"\na", "if (true) {", "int x =")) {
            assertThat(isComplete(context, part)).as(part).isFalse();
        }
        assertThat(driver.connect().ask("own", new byte[0], Deadline.after(LONG)))
                .isEqualTo(new Answer.Refused());
    }

    private static final List<String> CELLS = List.of(
            "1 + 1",
            "int x = 3",
            "x",
            "x = 4",
            "x++",
            "-x % 3",
            "1.0 / 3",
            "0.1 + 0.2",
            "1 / 0",
            "1.0 / 0",
            "Double.NaN",
            "Long.MAX_VALUE",
            "(byte) 200",
            "'a'",
            "'\\n'",
            "\"a\" + 1",
            "\"a\\n\\t\\\"é😀\"",
            "\"\"\"\n    block\n    \"\"\"",
            "null",
            "true && false",
            "x > 2 ? \"yes\" : \"no\"",
            "new int[] {1, 2}",
            "new String[] {\"a\", null}",
            "new int[2][3]",
            "new Object[] {1, \"b\"}",
            "List.of(1, \"b\")",
            "Map.of(\"k\", 1)",
            "new TreeSet<>(List.of(2, 1))",
            "Optional.empty()",
            "Optional.of(1)",
            "System.out.println(\"out\")",
            "System.out.print(\"%d%n\".formatted(5));",
            "for (int i = 0; i < 3; i++) System.out.println(i);",
            "int y = 0; while (y < 2) { y++; }",
            "y",
            "if (x > 1) System.out.println(\"more\");",
            "String s",
            "s",
            "s = \"now\"",
            "s.length()",
            "s.charAt(9)",
            "String t = null",
            "t.length()",
            "int twice(int a) { return 2 * a; }",
            "twice(21)",
            "twice(\"a\")",
            "void nothing() { }",
            "nothing()",
            "enum Color { RED, GREEN }",
            "Color.RED",
            "Color.valueOf(\"BLUE\")",
            "record P(int a, String b) { }",
            "new P(1, \"c\")",
            "class C { int v = 7; }",
            "new C().v",
            "interface I { int f(); }",
            "I one = () -> 1",
            "one.f()",
            "Function<Integer, Integer> inc = a -> a + 1",
            "inc.apply(1)",
            "IntStream.range(0, 4).sum()",
            "Stream.of(\"b\", \"a\").sorted().collect(Collectors.joining(\",\"))",
            "switch (x) { case 5 -> \"five\"; default -> \"other\"; }",
            "missing",
            "1 +* 2",
            "int z = \"no\"",
            "throw new IllegalArgumentException(\"arg\")",
            "new BigInteger(\"2\").pow(100)",
            "import java.time.Duration",
            "Duration.ofMinutes(90)",
            "var list = new ArrayList<String>()",
            "list.add(\"e\")",
            "list",
            "list.get(5)",
            "Path.of(\"/a\", \"b\")",
            "char c = 'q'",
            "c + 1",
            "\"x\".repeat(50)",
            "Integer.parseInt(\"z\")",
            "Thread.currentThread().isInterrupted()");

    @Test
    void cellsDoWhatTheyDoInJshell() throws Exception {
        Connection context = driver.context();
        Process shell = new ProcessBuilder(program("jshell"), "--feedback", "normal")
                .redirectErrorStream(true)
                .start();
        try (BufferedWriter typed = shell.outputWriter(UTF_8);
                BufferedReader shown = shell.inputReader(UTF_8)) {
            for (String cell : CELLS) {
                typed.write(cell + "\nSystem.out.println(\"end of cell\");\n");
                typed.flush();
                List<String> expected = new ArrayList<>();
                for (String line = shown.readLine(); !line.endsWith("end of cell"); line = shown.readLine()) {
                    expected.add(line.replaceFirst("^(jshell> |   \\.\\.\\.> )+", ""));
                }
                expected.removeIf(String::isBlank);
                CellResult result = run(context, cell);
                if (result.error().isPresent()) {
                    String first =
                            result.error().get().value().lines().findFirst().orElse("");
                    String told = String.join("\n", expected).replaceAll("REPL\\.\\$JShell\\$[0-9]+[.$]", "");
                    assertThat(told).as(cell).contains("|", first);
                } else if (result.value().isPresent()) {
                    assertThat(expected.getLast()).as(cell).endsWith("==> " + result.text());
                } else {
                    expected.removeIf(line -> line.contains(" ==> ") || line.startsWith("|"));
                    assertThat(result.stdout().lines()).as(cell).containsExactlyElementsOf(expected);
                }
            }
        } finally {
            shell.destroyForcibly();
        }
    }
}
