package dev.cloche.interpreter.driver;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.cloche.base.Deadline;
import dev.cloche.interpreter.CellListener;
import dev.cloche.interpreter.CellOutcome;
import dev.cloche.interpreter.CellResult;
import dev.cloche.interpreter.InterpreterException;
import dev.cloche.interpreter.protocol.Answer;
import dev.cloche.vm.Output;
import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/** Cells in the shells of this host: each is the program {@code sh} of its processes. */
@ParameterizedClass
@MethodSource("shells")
class ShellContextTest {
    private static final Duration LONG = Duration.ofMinutes(1);
    private static final Duration SHORT = Duration.ofMillis(300);
    /** Nothing of a test lives longer, also if it fails. */
    private static final String SLEEP = "sleep 100";

    @TempDir
    Path directory;

    private final Path program;
    private Shells shells;

    ShellContextTest(Path program) {
        this.program = program;
    }

    static Stream<Path> shells() {
        return Stream.of("/bin/dash", "/bin/bash", "/bin/busybox").map(Path::of).filter(Files::isExecutable);
    }

    @BeforeEach
    void start() throws Exception {
        var _ = Files.copy(program, directory.resolve("sh"), StandardCopyOption.COPY_ATTRIBUTES);
        shells = Shells.start(
                () -> ShellOnHost.start(directory),
                failure -> new InterpreterException.ContextEnded("The shell was lost.", failure));
    }

    @AfterEach
    void end() {
        shells.close();
    }

    private static CellResult run(Context context, String code) {
        return run(context, code, LONG);
    }

    private static CellResult run(Context context, String code, Duration timeout) {
        return new CellRun(context, Optional.of(timeout), CellListener.NONE).run(code.getBytes(UTF_8));
    }

    /**
     * Interrupts a cell once it has written something, again and again: a signal that comes just before the shell starts a program
     * is not that program's.
     */
    private static CellResult interrupted(Context context, String code) {
        CountDownLatch written = new CountDownLatch(1);
        CountDownLatch over = new CountDownLatch(1);
        Thread interrupter = Thread.ofVirtual().start(() -> {
            try {
                written.await();
                do {
                    context.interrupt();
                } while (!over.await(SHORT.toMillis(), TimeUnit.MILLISECONDS));
            } catch (InterruptedException ended) {
                // As was to be reached.
            }
        });
        CellListener listener = new CellListener() {
            @Override
            public void output(Output output, byte[] piece) {
                written.countDown();
            }
        };
        try {
            return new CellRun(context, Optional.of(LONG), listener).run(code.getBytes(UTF_8));
        } finally {
            over.countDown();
            interrupter.interrupt();
            // Its last one is this cell's still, and not the next one's.
            ended(interrupter);
        }
    }

    private static void ended(Thread thread) {
        try {
            thread.join();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Runs what is to go well. */
    private static String out(Context context, String code) {
        CellResult result = run(context, code);
        assertThat(result.outcome()).as(result.toString()).isEqualTo(CellOutcome.COMPLETED);
        assertThat(result.stderr()).as(code).isEmpty();
        return result.stdout();
    }

    private static String summary(CellResult result) {
        return result.error().orElseThrow().summary();
    }

    private boolean isBash() {
        return program.endsWith("bash");
    }

    @Test
    void whatACellChangesStays() {
        Context context = shells.context();
        assertThat(out(context, "x=6; f() { echo $((x * $1)); }; export NAME='a b'; cd /; umask 077; alias e=echo"))
                .isEmpty();
        assertThat(out(context, "f 7; pwd; umask; sh -c 'echo \"$NAME\"'")).isEqualTo("42\n/\n0077\na b\n");
        assertThat(out(context, "e aliased")).isEqualTo("aliased\n");
        assertThat(out(context, "echo \"$#[$1]\"")).isEqualTo("0[]\n");
        assertThat(out(context, "exec 9>kept; echo 1 >&9")).isEmpty();
        assertThat(out(context, "echo 2 >&9; cat kept; rm kept; exec 9>&-")).isEqualTo("1\n2\n");
        assertThat(out(context, "")).isEmpty();
        assertThat(out(context, "# no more")).isEmpty();
        assertThat(shells.version()).matches(isBash() ? "bash [0-9].*" : "");
    }

    @Test
    void contextsHaveTheirOwnVariablesAndDirectories() {
        Context one = shells.context();
        Context other = shells.context();
        assertThat(out(one, "x=1; cd /")).isEmpty();
        assertThat(out(other, "echo \"${x-none}\"; pwd")).isEqualTo("none\n" + directory + "\n");
    }

    @Test
    void aStatusThatIsNotZeroIsAnErrorAndIsThereForTheNextCell() {
        Context context = shells.context();
        CellResult result = run(context, "echo before; ls /nothing/here; (exit 3)");
        assertThat(result.outcome()).isEqualTo(CellOutcome.FAILED);
        assertThat(summary(result)).isEqualTo("ExitStatus: 3");
        assertThat(result.stdout()).isEqualTo("before\n");
        assertThat(result.stderr()).contains("/nothing/here");
        assertThat(out(context, "echo $?")).isEqualTo("3\n");
        assertThat(out(context, "echo $?")).isEqualTo("0\n");
        assertThat(summary(run(context, "return 4"))).isEqualTo("ExitStatus: 4");
        assertThat(summary(run(context, "ls /nothing"))).startsWith("ExitStatus: ");
        assertThat(summary(run(context, "no-such-program"))).isEqualTo("ExitStatus: 127");
    }

    @Test
    void aMistakeOfSyntaxIsAnErrorAndItsContextGoesOn() {
        Context context = shells.context();
        assertThat(out(context, "x=5")).isEmpty();
        for (String code : List.of("if x (", "echo \"", "f() {", "echo )", "echo a; fi; echo b")) {
            CellResult result = run(context, code);
            assertThat(result.outcome()).as(code).isEqualTo(CellOutcome.FAILED);
            assertThat(result.error().orElseThrow().name()).as(code).isEqualTo("SyntaxError");
            assertThat(result.error().orElseThrow().value())
                    .containsIgnoringCase("eval: ")
                    .containsAnyOf("yntax error", "unexpected EOF");
            assertThat(result.stderr()).contains(result.error().orElseThrow().value());
            assertThat(out(context, "echo $x")).isEqualTo("5\n");
        }
    }

    @Test
    void quotesLinesAndCharactersComeAsTheyAre() {
        Context context = shells.context();
        assertThat(out(context, "x=\"it's\"\ncat <<E\na'b \"$x\"\nE\ncat <<'E'\n$x \\n\nE"))
                .isEqualTo("a'b \"it's\"\n$x \\n\n");
        assertThat(out(context, "echo a \\\n  b")).isEqualTo("a b\n");
        assertThat(out(context, "printf '%s|' 'é😀' \"'\" '''' \"\\\\\"")).isEqualTo("é😀|'||\\|");
        assertThat(out(context, "for i in 1 2\ndo\n  echo $i\ndone\n")).isEqualTo("1\n2\n");
        assertThat(run(context, "printf '\\377\\000\\036'").stdout()).isEqualTo("\uFFFD\0\u001e");
        String large = "é".repeat(200_000);
        assertThat(out(context, "x='" + large + "'; echo ${#x}")).isIn("200000\n", "400000\n");
        assertThatThrownBy(() -> run(context, "echo \0"))
                .isInstanceOf(InterpreterException.Invalid.class)
                .hasMessageContaining("no NUL characters");
        assertThat(out(context, "echo on")).isEqualTo("on\n");
    }

    @Test
    void standardInputIsAtItsEnd() {
        Context context = shells.context();
        assertThat(out(context, "cat; read x || echo end; sh -c 'read y || echo end'"))
                .isEqualTo("end\nend\n");
    }

    @Test
    void aCellCanCloseOrMoveItsOutputs() {
        Context context = shells.context();
        assertThat(run(context, "exec 1>&- 2>&-").outcome()).isEqualTo(CellOutcome.COMPLETED);
        assertThat(out(context, "echo on")).isEqualTo("on\n");
        assertThat(out(context, "exec >file 2>&1 </dev/zero; echo in file")).isEmpty();
        assertThat(out(context, "cat file")).isEqualTo("in file\n");
        assertThat(out(context, "exec 0>&- 3>&1 7>&- 8>file; echo on >&3")).isEqualTo("on\n");
        assertThat(out(context, "echo on")).isEqualTo("on\n");
        assertThat(run(context, "for i in 0 1 2 3 4 5 6 7 8 9; do eval \"exec $i>&-\"; done")
                        .contextLost())
                .isFalse();
        assertThat(out(context, "echo on")).isEqualTo("on\n");
    }

    @Test
    void optionsStayAndAreThoseOfTheCode() {
        Context context = shells.context();
        assertThat(run(context, "set -x; echo a").stderr()).matches("\\++ echo a\n");
        CellResult traced = run(context, "echo b");
        assertThat(traced.stdout()).isEqualTo("b\n");
        assertThat(traced.stderr()).matches("\\++ echo b\n");
        assertThat(out(context, "{ set +x; } 2>/dev/null")).isEmpty();
        assertThat(out(context, "set -auf; IFS=0123456789; x=105")).isEmpty();
        assertThat(out(context, "echo \"$?\" \"$x\"; set +auf; unset IFS")).isEqualTo("0 105\n");
        assertThat(run(context, "set -v; echo a").outcome()).isEqualTo(CellOutcome.COMPLETED);
        assertThat(run(context, "set +v").outcome()).isEqualTo(CellOutcome.COMPLETED);
        assertThat(out(context, "alias printf=false command=false trap=false set=false unset=false return=false"))
                .isEmpty();
        assertThat(out(context, "echo on")).isEqualTo("on\n");
    }

    @Test
    void aShellThatEndsSaysHow() {
        CellResult end = run(shells.context(), "echo bye; exit 3; echo no");
        assertThat(end.outcome()).isEqualTo(CellOutcome.CONTEXT_ENDED);
        assertThat(end.stdout()).isEqualTo("bye\n");
        assertThat(end.notice())
                .isEqualTo("The process of the context ended with exit code 3. Its variables are lost.");
        assertThat(run(shells.context(), "kill -9 $$").notice())
                .startsWith("The process of the context ended by signal 9");
        Context strict = shells.context();
        assertThat(out(strict, "set -e; x=1")).isEmpty();
        assertThat(out(strict, "false || echo $x")).isEqualTo("1\n");
        CellResult failed = run(strict, "echo before; false; echo no");
        assertThat(failed.outcome()).isEqualTo(CellOutcome.CONTEXT_ENDED);
        assertThat(failed.stdout()).isEqualTo("before\n");
        assertThat(failed.notice()).contains("ended with exit code 1");
        assertThatThrownBy(() -> run(strict, "echo"))
                .isInstanceOf(InterpreterException.ContextEnded.class)
                .hasMessageContaining("ended with exit code 1");
        CellResult replaced = run(shells.context(), "exec echo other");
        assertThat(replaced.stdout()).isEqualTo("other\n");
        assertThat(replaced.contextLost()).isTrue();
    }

    /** What the shell has to be taken out of by an interrupt. */
    private static final List<String> ENDLESS = List.of(
            SLEEP,
            "while :; do :; done",
            "while true; do echo y; done",
            SLEEP + " | cat",
            "y=$(" + SLEEP + ")",
            "(" + SLEEP + ")",
            SLEEP + " & wait",
            "for i in 1 2 3; do " + SLEEP + "; done",
            "f() { while :; do sleep 1; done; }; f",
            "f() { while :; do :; done; }; g() { while :; do f; done; }; while :; do g; done",
            "echo 'while :; do sleep 1; done' >loop; while :; do . ./loop; done",
            "eval 'while :; do eval :; done'");

    @Test
    void anEndlessCellIsInterruptedAndItsContextGoesOn() {
        Context context = shells.context();
        assertThat(out(context, "x=5; cd /; g() { echo $x; }")).isEmpty();
        for (String code : ENDLESS) {
            CellResult result = interrupted(context, "cd '" + directory + "'; echo on; { " + code + "\n}; echo no");
            assertThat(result.outcome()).as(code).isEqualTo(CellOutcome.INTERRUPTED);
            assertThat(result.stdout()).as(code).startsWith("on\n").doesNotContain("no");
            assertThat(result.stderr()).as(code).isEmpty();
            assertThat(result.error()).as(code).isEmpty();
            assertThat(out(context, "echo $? $x")).as(code).isEqualTo("130 5\n");
        }
        assertThat(out(context, "while false; do :; done; trap - INT; echo on")).isEqualTo("on\n");
    }

    @Test
    void aCellThatIsInterruptedSaysSo() {
        Context context = shells.context();
        CellResult result = interrupted(context, "echo on; " + SLEEP);
        assertThat(result.outcome()).isEqualTo(CellOutcome.INTERRUPTED);
        assertThat(result.error()).isEmpty();
        context.interrupt();
        assertThat(out(context, "echo on")).isEqualTo("on\n");
        CellResult own =
                interrupted(context, "trap 'echo own; e=1' INT; echo on; while [ ! \"$e\" ]; do sleep 0.1; done; true");
        assertThat(own.outcome()).isEqualTo(CellOutcome.COMPLETED);
        assertThat(own.stdout()).startsWith("on\nown\n");
        assertThat(run(context, SLEEP, SHORT).contextLost()).isFalse();
    }

    /** Also one that comes after its end. */
    @Test
    void anInterruptAtAnyTimeLeavesTheContext() throws Exception {
        Context context = shells.context();
        assertThat(out(context, "x=5")).isEmpty();
        for (int i = 0; i < 40; i++) {
            CountDownLatch begun = new CountDownLatch(1);
            String code = i % 2 == 0 ? ":" : "f() { :; }; f; f; :";
            FutureTask<CellResult> running = new FutureTask<>(() -> {
                begun.countDown();
                return run(context, code);
            });
            Thread.ofVirtual().start(running);
            begun.await();
            for (int j = 0; j < i; j++) {
                context.interrupt();
            }
            assertThat(running.get().contextLost()).as("%s", running.get()).isFalse();
            assertThat(out(context, "echo $x")).isEqualTo("5\n");
        }
    }

    /** The first cell of a shell sets the trap; before that, the signal would end it. */
    @Test
    void anInterruptWaitsForTheBeginningOfItsCell() throws Exception {
        Context context = new ShellContext(
                () -> ShellOnHost.late(directory),
                failure -> new InterpreterException.ContextEnded("The shell was lost.", failure));
        try {
            context.run(SLEEP.getBytes(UTF_8));
            context.interrupt();
            Optional<Answer> end = context.take(Deadline.after(SHORT));
            while (end.isEmpty()) {
                context.interrupt();
                end = context.take(Deadline.after(SHORT));
            }
            assertThat(end).contains(new Answer.Done(true));
            context.finish();
            assertThat(out(context, "echo on")).isEqualTo("on\n");
        } finally {
            context.close();
        }
    }

    @Test
    void oneThatDoesNotStopLosesItsContextAndNoOther() {
        Context context = shells.context();
        Context other = shells.context();
        assertThat(out(other, "x=1")).isEmpty();
        // It and 30 jobs of it ignore the interrupt.
        CellResult result = DriverOnHost.killed(
                context,
                "trap '' INT; f() { [ $1 -eq 0 ] || { f $(($1 - 1)) & f $(($1 - 1)) & }; echo; " + SLEEP + "; }; f 4",
                Duration.ofSeconds(5));
        assertThat(result.contextLost()).isTrue();
        assertThat(result.notice()).contains("its variables are lost");
        assertThat(out(other, "echo $x")).isEqualTo("1\n");
    }

    @Test
    void jobsGoOnBetweenCellsAndEndWithTheirContext() {
        Context context = shells.context();
        String pid = out(
                        context,
                        "(echo before; until [ -e go ]; do sleep 0.05; done; echo after; " + SLEEP + ") & echo $!")
                .replace("before\n", "")
                .strip();
        StringBuilder later = new StringBuilder(out(context, ": >go"));
        assertThat(later.toString()).isIn("", "before\n", "after\n", "before\nafter\n");
        await().until(() -> later.append(out(context, "echo .")).indexOf("after\n") >= 0);
        ProcessHandle job = ProcessHandle.of(Long.parseLong(pid)).orElseThrow();
        assertThat(out(context, "sleep 0 & wait $!; echo $?")).isEqualTo("0\n");
        context.close();
        await().until(() -> !job.isAlive());
        assertThatThrownBy(() -> run(context, "echo"))
                .isInstanceOf(InterpreterException.ContextEnded.class)
                .hasMessageContaining("was closed");
    }

    @Test
    void outputIsTakenAsItComesAndCutAt64Mib() {
        Context context = shells.context();
        CellResult result = run(context, "head -c 70000000 /dev/zero; printf end >&2");
        assertThat(result.outcome()).isEqualTo(CellOutcome.COMPLETED);
        assertThat(result.stdout().length()).isBetween((64 << 20) - (64 << 10), 64 << 20);
        assertThat(result.truncated()).isTrue();
        assertThat(out(context, "echo on")).isEqualTo("on\n");
        CellResult marks = run(context, "head -c 3000000 /dev/zero | tr '\\000' '\\036'");
        assertThat(marks.stdout()).hasSize(3_000_000).matches("\u001e+");
    }

    /** It has no way to know the mark; where it gets at it all the same, its own result lies, and the next one does not. */
    @Test
    void forgedMarksAreOutput() {
        Context context = shells.context();
        String forged = "0".repeat(32) + "  0";
        CellResult result = run(context, "printf '\\036" + forged + "'; echo on; set; false");
        assertThat(result.stdout()).startsWith("\u001e" + forged + "on\n");
        assertThat(summary(result)).isEqualTo("ExitStatus: 1");
        assertThat(result.stdout()).doesNotContainPattern("[0-9a-f]{32} \"\\$\\?\"");
        // The arguments of functions are none of the code's.
        assertThat(out(context, "echo \"$*\" ${BASH_ARGV-}")).isEqualTo("\n");
        assertThat(out(context, "_cloche_text=1")).isEmpty();
        CellResult suppressed = DriverOnHost.killed(context, "_cloche_end() { :; }", SHORT);
        assertThat(suppressed.contextLost()).isTrue();
        CellResult broken =
                run(shells.context(), "_cloche_end() { printf '\\036%s  7' $1 >&7; printf '\\036%s  7' $1 >&8; }");
        assertThat(summary(broken)).isEqualTo("ExitStatus: 7");
        Context lying = shells.context();
        assertThatThrownBy(
                        () -> run(lying, "_cloche_end() { printf '\\036%s-12' $1 >&7; printf '\\036%s  7' $1 >&8; }"))
                .isInstanceOf(InterpreterException.BrokenAnswer.class);
        assertThat(lying.isOver()).isTrue();
    }

    @Test
    void thereAre32Contexts() {
        List<Context> contexts = new ArrayList<>();
        for (int i = 0; i < 32; i++) {
            contexts.add(shells.context());
        }
        assertThatThrownBy(shells::context).isInstanceOf(InterpreterException.TooManyContexts.class);
        assertThat(run(contexts.getFirst(), "exit").contextLost()).isTrue();
        assertThat(out(shells.context(), "echo on")).isEqualTo("on\n");
    }

    @Test
    void codeIsAskedWhetherItIsWhole() {
        Context context = shells.context();
        for (String whole : List.of(
                "",
                "echo",
                "# it's \\",
                "if x; then y; fi",
                "f)",
                "x 'a b' \"c'\"",
                "cat <<E\na\nE",
                "echo \\\\",
                "fi")) {
            assertThat(context.isComplete(whole.getBytes(UTF_8), Deadline.after(LONG)))
                    .as(whole)
                    .isTrue();
        }
        for (String open : List.of(
                "if x; then y",
                "while :; do",
                "f() {",
                "echo 'a",
                "echo \"it's",
                "cat <<E\na",
                "echo \\",
                "a &&",
                "a |",
                "(",
                "case x in",
                "echo $(")) {
            assertThat(context.isComplete(open.getBytes(UTF_8), Deadline.after(LONG)))
                    .as(open)
                    .isFalse();
        }
        assertThat(out(context, "echo $?")).isEqualTo("0\n");
    }

    /** Each is run by a script of them all too, one after the other. */
    private static final List<String> CELLS = List.of(
            "echo hi",
            "x=3",
            "echo \"$x\"",
            "echo $((x * 14))",
            "printf '%03d\\n' 7",
            "true",
            "false",
            "echo $?",
            ":",
            "y='a  b'; echo $y \"$y\"",
            "echo ${y#a} ${y%b} ${#y} ${z:-none} ${z=set} $z",
            "echo \"it's\" 'a\"b'",
            "echo a; echo b >&2; echo c",
            "cd /; pwd",
            "cd - >/dev/null; echo ${PWD##*/}",
            "f() { echo $# \"$1\"; return 5; }",
            "f",
            "f a 'b c'",
            "echo $?",
            "g() { local v=1; echo $v; }; g; echo ${v-gone}",
            "for i in a b c; do echo $i; done",
            "echo $i",
            "i=0; while [ $i -lt 3 ]; do i=$((i + 1)); echo $i; done",
            "until [ $i -eq 0 ]; do i=$((i - 1)); done; echo $i",
            "case $x in 3) echo three;; *) echo other;; esac",
            "if [ -d / ]; then echo yes; else echo no; fi",
            "[ -e /nothing ]",
            "echo $(echo inner; echo $(echo deeper))",
            "echo `echo old`",
            "(x=9; echo $x); echo $x",
            "{ x=4; }; echo $x",
            "echo one | { read l; echo \"<$l>\"; }",
            "printf 'b\\na\\n' | sort",
            "cat <<E\n$x $(echo sub)\nE",
            "cat <<'E'\n$x\nE",
            "cat <<-E\n\ttab\n\tE",
            "echo out >file; cat file; echo more >>file; cat <file",
            "echo err 2>/dev/null >&2; echo on",
            "! true",
            "! false",
            "true && echo and",
            "false || echo or",
            "false && echo no; echo $?",
            "echo a; # comment",
            "export E=env; sh -c 'echo $E'",
            "V=temporary sh -c 'echo $V'; echo ${V-gone}",
            "unset x; echo ${x-unset}",
            "eval 'e=1; echo $e'",
            "echo 'd=2' >dot; . ./dot; echo $d",
            "echo *.none",
            "echo fi*",
            "trap 'echo usr' USR1; kill -USR1 $$; echo after",
            "(exit 7)",
            "echo $?",
            "sh -c 'kill -9 $$' 2>/dev/null; echo $?",
            "no-such-program 2>/dev/null; echo $?",
            "sleep 0 & wait; echo waited",
            "set -f; echo f*; set +f",
            "IFS=:; l=a:b:c; for p in $l; do echo $p; done; unset IFS",
            "echo \"$(printf 'é😀')\"",
            "printf '%s\\n' \"a\\\\b\" 'c\\d'",
            "command -v cd",
            "alias ll='echo aliased'; true",
            "umask 022; umask",
            "read v </dev/null; echo $?",
            "echo ${y:+set} ${none:+not}",
            "echo $((1 + 2 * (3 - 1) % 5))",
            "echo $((0x10 | 1)) $((5 > 3))",
            "echo last");

    @Test
    void cellsDoWhatTheyDoInAScript() throws Exception {
        Context context = shells.context();
        Process script = ShellOnHost.start(directory).process();
        try (BufferedWriter in = script.outputWriter(UTF_8);
                BufferedReader out = script.inputReader(UTF_8);
                BufferedReader err = script.errorReader(UTF_8)) {
            for (String cell : CELLS) {
                in.write(cell + "\nended=$?; echo \"\nend of cell $ended\"; echo '\nend of cell' >&2; (exit $ended)\n");
                in.flush();
                StringBuilder expected = new StringBuilder();
                String line = out.readLine();
                for (; !line.startsWith("end of cell"); line = out.readLine()) {
                    expected.append(line).append('\n');
                }
                StringBuilder errors = new StringBuilder();
                for (String told = err.readLine(); !told.equals("end of cell"); told = err.readLine()) {
                    errors.append(told).append('\n');
                }
                CellResult result = run(context, cell);
                assertThat(result.stdout() + "\n").as(cell).isEqualTo(expected.toString());
                if (errors.toString().isBlank() || !result.stderr().contains(":")) {
                    assertThat(result.stderr() + "\n").as(cell).isEqualTo(errors.toString());
                }
                String status = result.error().map(error -> error.value()).orElse("0");
                assertThat("end of cell " + status).as(cell).isEqualTo(line);
            }
        } finally {
            script.destroyForcibly();
        }
    }

    @Test
    void programsThatAreNoShellAreToldAsThat() throws Exception {
        Path other = Files.createDirectory(directory.resolve("other"));
        var _ = Files.copy(Path.of("/bin/false"), other.resolve("sh"), StandardCopyOption.COPY_ATTRIBUTES);
        assertThatThrownBy(() -> Shells.start(
                        () -> ShellOnHost.start(other),
                        failure -> new InterpreterException.ContextEnded("It was lost.", failure)))
                .isInstanceOf(InterpreterException.NotStarted.class)
                .hasMessageContaining("ended with exit code 1");
    }
}
