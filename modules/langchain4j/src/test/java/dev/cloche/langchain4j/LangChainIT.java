package dev.cloche.langchain4j;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cloche.Cloche;
import dev.cloche.ClocheOptions;
import dev.cloche.Sandbox;
import dev.cloche.base.InstalledShare;
import dev.cloche.base.TestImage;
import dev.cloche.image.PullListener;
import dev.cloche.interpreter.Interpreter;
import dev.cloche.interpreter.Language;
import dev.cloche.sandbox.TemplateMaking;
import dev.cloche.tools.CodeLanguage;
import dev.cloche.tools.ToolException;
import dev.cloche.tools.ToolSettings;
import dev.langchain4j.code.CodeExecutionEngine;
import dev.langchain4j.service.AiServices;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The engine and the tools as LangChain4j calls them, in a real VM. */
class LangChainIT {
    /** Of what never ends; its first output must have come by then. All else may take long on a busy host. */
    private static final ToolSettings HASTY = ToolSettings.defaults().withTimeout(Duration.ofSeconds(10));

    private static final ToolSettings PATIENT = ToolSettings.defaults().withTimeout(Duration.ofMinutes(5));

    @TempDir
    static Path home;

    static Cloche cloche;
    static Sandbox sandbox;

    @BeforeAll
    static void open() throws Exception {
        Path share = InstalledShare.require();
        cloche = Cloche.open(ClocheOptions.ofEnvironment()
                .withHome(home.resolve("state"))
                .withShare(share)
                .withTemplateMaking(new TemplateMaking.Never()));
        String image = "base";
        if (TestImage.hasPython()) {
            image = "python";
            var _ = cloche.images().load(TestImage.withPython(home.resolve("image")), image, PullListener.none());
        }
        sandbox = cloche.sandbox(image).memoryMib(256).start();
    }

    @AfterAll
    static void close() {
        if (cloche != null) {
            sandbox.close();
            cloche.close();
        }
    }

    /** What LangChain4j makes from this. */
    interface Assistant {
        String answer(String question);
    }

    private static String ask(ScriptedModel model, ToolSettings settings) {
        return AiServices.builder(Assistant.class)
                .chatModel(model)
                .tools(SandboxToolSet.of(sandbox, settings))
                .build()
                .answer("How much is it?");
    }

    private static String ask(ScriptedModel model, Interpreter python, ToolSettings settings) {
        return AiServices.builder(Assistant.class)
                .chatModel(model)
                .tools(SandboxToolSet.of(sandbox, settings), InterpreterToolSet.of(python, settings))
                .build()
                .answer("How much is it?");
    }

    @Test
    void theEngineRunsCodeAndAnswersWhatWentWrong() {
        CodeExecutionEngine shell = SandboxCodeEngine.of(sandbox, CodeLanguage.SHELL);
        assertThat(shell.execute("echo $((6 * 7))")).isEqualTo("42\n");
        assertThat(shell.execute("exit 3")).isEqualTo("[It ended with exit code 3 and wrote nothing.]");
        assertThat(SandboxCodeEngine.of(sandbox, CodeLanguage.JAVA).execute("void main() {}"))
                .startsWith("Java cannot be run: this sandbox has no program java");
    }

    @Test
    void anAgentWritesRunsAndMendsCode() {
        ScriptedModel model = new ScriptedModel()
                .calls("write_file", "{\"path\": \"sum.sh\", \"content\": \"expr 40 +\"}")
                .calls("run_command", "{\"command\": \"sh sum.sh\"}")
                .calls("write_file", "{\"path\": \"sum.sh\", \"content\": \"expr 40 + 2\"}")
                .calls("list_files", "{\"path\": \".\"}")
                .calls("read_file", "{\"path\": \"sum.sh\"}")
                .calls("run_code", "{\"language\": \"shell\", \"code\": \". ./sum.sh\"}");

        assertThat(ask(model, ToolSettings.defaults())).isEqualTo("42\n");

        assertThat(model.answers())
                .satisfiesExactly(
                        wrote -> assertThat(wrote).isEqualTo("Wrote 9 bytes to /work/sum.sh."),
                        failed -> assertThat(failed)
                                .startsWith("[Standard error:]\nexpr: syntax error")
                                .contains("[It ended with exit code "),
                        wrote -> assertThat(wrote).isEqualTo("Wrote 11 bytes to /work/sum.sh."),
                        listed -> assertThat(listed).contains("sum.sh, 11 bytes\n"),
                        read -> assertThat(read).isEqualTo("expr 40 + 2"),
                        ran -> assertThat(ran).isEqualTo("42\n"));
        assertThat(model.offered())
                .hasSize(5)
                .anySatisfy(tool -> assertThat(tool)
                        .startsWith("run_code: ")
                        .contains("Every call is a new process")
                        .contains("files stay"));
    }

    @Test
    void variablesOfAnAgentStayFromCallToCall() {
        Assumptions.assumeTrue(TestImage.hasPython(), "python3 is not on this host");
        ScriptedModel model = new ScriptedModel()
                .calls("write_file", "{\"path\": \"data.txt\", \"content\": \"40\"}")
                .calls("run_python", "{\"code\": \"x = int(open('data.txt').read())\"}")
                .calls("run_python", "{\"code\": \"y = 2\\nprint('both')\\nx + y\"}")
                .calls("run_python", "{\"code\": \"x / 0\"}");
        ScriptedModel loops = new ScriptedModel().calls("run_python", "{\"code\": \"while True: pass\"}");
        ScriptedModel next = new ScriptedModel()
                .calls("run_python", "{\"code\": \"x + 1\"}")
                .calls("run_python", "{}")
                .calls("run_python", "{\"code\": \"import os; os._exit(3)\"}")
                .calls("run_python", "{\"code\": \"x\"}")
                .calls("run_python", "{\"code\": \"import os; os.getcwd()\"}");
        try (Interpreter python = sandbox.interpreter(Language.PYTHON)) {
            assertThat(ask(model, python, PATIENT)).contains("ZeroDivisionError");
            assertThat(ask(loops, python, HASTY)).contains("KeyboardInterrupt", "took longer than 10s");
            assertThat(ask(next, python, PATIENT)).isEqualTo("'/work'");
        }
        assertThat(model.answers().subList(1, 4))
                .satisfiesExactly(
                        silent -> assertThat(silent).isEqualTo("[It ended well and has no value.]"),
                        sum -> assertThat(sum).isEqualTo("both\n42"),
                        error -> assertThat(error)
                                .startsWith("[Error:]\n")
                                .contains("line 1")
                                .endsWith("ZeroDivisionError: division by zero\n"));
        assertThat(next.answers().subList(0, 4))
                .satisfiesExactly(
                        stayed -> assertThat(stayed).isEqualTo("41"),
                        missing -> assertThat(missing).isEqualTo("The parameter code is missing."),
                        ended -> assertThat(ended).contains("ended with exit code 3", "variables are lost"),
                        gone -> assertThat(gone).contains("NameError: name 'x' is not defined"));
        assertThat(model.offered()).hasSize(6);
    }

    @Test
    void theShellOfAnAgentGoesOnFromCallToCall() {
        ScriptedModel model = new ScriptedModel()
                .calls("run_shell", "{\"code\": \"pwd; mkdir -p sub; cd sub; x=40; twice() { expr $1 + $1; }\"}")
                .calls("run_shell", "{\"code\": \"pwd\\ntwice $x\"}")
                .calls("run_shell", "{\"code\": \"y=2\"}")
                .calls("run_shell", "{\"code\": \"echo no >&2; (exit 7)\"}")
                .calls("run_shell", "{}")
                .calls("run_shell", "{\"code\": \"exit 3\"}")
                .calls("run_shell", "{\"code\": \"echo \\\"[$x]\\\"; pwd\"}");
        try (Interpreter shell = sandbox.interpreter(Language.SHELL)) {
            String last = AiServices.builder(Assistant.class)
                    .chatModel(model)
                    .tools(ShellToolSet.of(shell, ToolSettings.defaults().withWorkingDirectory("/made/it's here")))
                    .build()
                    .answer("Where are we?");
            assertThat(last).isEqualTo("[]\n/made/it's here\n");
            assertThatThrownBy(() -> InterpreterToolSet.of(shell)).isInstanceOf(ToolException.InvalidSettings.class);
        }
        assertThat(model.answers().subList(0, 6))
                .satisfiesExactly(
                        first -> assertThat(first).isEqualTo("/made/it's here\n"),
                        stayed -> assertThat(stayed).isEqualTo("/made/it's here/sub\n80\n"),
                        silent -> assertThat(silent).isEqualTo("[It ended well and has no value.]"),
                        failed -> assertThat(failed)
                                .startsWith("[Standard error:]\nno\n[Error:]\n")
                                .contains("7"),
                        missing -> assertThat(missing).isEqualTo("The parameter code is missing."),
                        ended -> assertThat(ended).contains("ended with exit code 3"));
        assertThat(model.offered())
                .singleElement()
                .satisfies(tool -> assertThat(tool).startsWith("run_shell: ").contains("directory", "variables"));
    }

    @Test
    void aCallThatLoopsFloodsOrIsWrongDoesNotEndTheAgent() {
        ScriptedModel loops = new ScriptedModel()
                .calls("run_command", "{\"command\": \"echo first; while :; do sleep 1; done\"}")
                // Needs nothing of the guest, and so no time.
                .calls("run_code", "{\"language\": \"shell\"}");
        assertThat(ask(loops, HASTY)).isEqualTo("The parameter code is missing.");
        assertThat(loops.answers().getFirst()).startsWith("first\n").contains("took longer than 10 s");

        ScriptedModel model = new ScriptedModel()
                .calls("run_command", "{\"command\": \"yes\"}")
                .calls("run_code", "{\"language\": \"fortran\", \"code\": \"END\"}")
                .calls("run_code", "{\"code\": \"END\"}")
                .calls("read_file", "{\"path\": \"/none\"}")
                .calls("run_command", "{\"command\": \"echo last\"}");

        assertThat(ask(model, PATIENT.withOutputLimit(10_000))).isEqualTo("last\n");

        assertThat(model.answers())
                .satisfiesExactly(
                        flood -> assertThat(flood).startsWith("y\ny\n").contains("more than 10000 bytes"),
                        language -> assertThat(language).contains("no language \"fortran\""),
                        missing -> assertThat(missing).isEqualTo("The parameter language is missing."),
                        file -> assertThat(file).isEqualTo("In the guest, '/none' does not exist."),
                        last -> assertThat(last).isEqualTo("last\n"));
    }
}
