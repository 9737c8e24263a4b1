package dev.cloche.tools;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cloche.Cloche;
import dev.cloche.ClocheOptions;
import dev.cloche.Sandbox;
import dev.cloche.base.ClocheException;
import dev.cloche.base.InstalledShare;
import dev.cloche.sandbox.TemplateMaking;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a model gets to read, of real VMs. */
class SandboxToolsIT {
    private static final ToolSettings SETTINGS = ToolSettings.defaults();

    @TempDir
    static Path home;

    static Cloche cloche;
    static Sandbox sandbox;
    static SandboxTools tools;

    @BeforeAll
    static void open() {
        Path share = InstalledShare.require();
        cloche = Cloche.open(ClocheOptions.ofEnvironment()
                .withHome(home)
                .withShare(share)
                .withTemplateMaking(new TemplateMaking.Never()));
        sandbox = start();
        tools = SandboxTools.of(sandbox, SETTINGS);
    }

    private static Sandbox start() {
        return cloche.sandbox("base").memoryMib(256).start();
    }

    @AfterAll
    static void close() {
        if (cloche != null) {
            sandbox.close();
            cloche.close();
        }
    }

    @Test
    void eachRunIsANewProcessAndFilesStay() {
        assertThat(tools.runCode(CodeLanguage.SHELL, "word=kept; echo $((6 * 7)); echo $word >stays; pwd"))
                .isEqualTo("42\n/work\n");
        assertThat(tools.runCode("Shell", "echo [$word] $(cat stays)")).isEqualTo("[] kept\n");
        assertThat(tools.runCommand("cat stays; ls -a | grep -c run_")).startsWith("kept\n0\n");
    }

    @Test
    void aProgramThatFailsSaysHow() {
        assertThat(tools.runCommand("echo out; echo err >&2; exit 3")).isEqualTo("""
                out
                [Standard error:]
                err
                [It ended with exit code 3. What it wrote is above.]""");
        assertThat(tools.runCommand("true")).isEqualTo("[It ended with exit code 0 and wrote nothing.]");
        assertThat(tools.runCommand("false")).isEqualTo("[It ended with exit code 1 and wrote nothing.]");
        assertThat(tools.runCommand("echo before; kill -9 $$"))
                .isEqualTo(
                        "before\n[Signal 9 ended it, as it does when the memory of the sandbox is used up. What it wrote is above.]");
    }

    @Test
    void aProgramThatLoopsSaysWhatItWroteAndWhyItEnded() {
        SandboxTools hasty = SandboxTools.of(sandbox, SETTINGS.withTimeout(Duration.ofMillis(8500)));
        assertThat(hasty.runCode("shell", "echo first; while :; do sleep 1; done"))
                .isEqualTo("first\n[It was killed because it took longer than 8.5 s. What it wrote is above.]");
        assertThat(hasty.runCommand("echo next")).isEqualTo("next\n");
    }

    @Test
    void aProgramThatFloodsIsKilledAndTheModelGetsBothEndsOfWhatIsKept() {
        SandboxTools small =
                SandboxTools.of(sandbox, SETTINGS.withOutputLimit(100_000).withShownCharacters(100));
        // Long lines: on a slow host, a guest that writes two bytes at a time takes minutes to reach the limit.
        assertThat(small.runCode("shell", "echo begin; line=$(seq -s y 1000); while :; do echo $line; done"))
                .startsWith("begin\n1y2y3y")
                .contains(
                        "\n[99900 characters are left out here. Write long output to a file and look at parts of it.]\n")
                .endsWith(
                        "\n[It was killed because it wrote more than 100000 bytes to one output. What it wrote is above.]");
    }

    @Test
    void aLongOutputIsCutInTheMiddleAndItsProgramGoesOnToItsEnd() {
        SandboxTools small = SandboxTools.of(sandbox, SETTINGS.withShownCharacters(100));
        assertThat(small.runCommand("seq 1000; echo done >finished"))
                .startsWith("1\n2\n3\n")
                .contains(" characters are left out here.")
                .endsWith("999\n1000\n")
                .hasSizeLessThan(250);
        assertThat(tools.readFile("finished")).isEqualTo("done\n");
    }

    @Test
    void aMissingProgramAnUnknownLanguageAndAMissingParameterAreAnswers() {
        assertThat(tools.runCode(CodeLanguage.PYTHON, "print(6 * 7)"))
                .isEqualTo("Python cannot be run: this sandbox has no program python3, and nothing is installed. "
                        + "Use another language.");
        assertThat(tools.runCode("cobol", "STOP RUN"))
                .isEqualTo("There is no language \"cobol\" here. Use one of: python, javascript, java, shell.");
        assertThat(tools.runCode("shell", null)).isEqualTo("The parameter code is missing.");
        assertThat(tools.writeFile(null, "text")).isEqualTo("The parameter path is missing.");
        assertThat(tools.runCommand("ls -a | grep -c run_")).startsWith("0\n");
    }

    @Test
    void filesAreWrittenReadAndListed() {
        assertThat(tools.writeFile("data/a b;c.txt", "é\n")).isEqualTo("Wrote 3 bytes to /work/data/a b;c.txt.");
        assertThat(tools.readFile("/work/data/a b;c.txt")).isEqualTo("é\n");
        assertThat(tools.runCommand("cd data && ln -s ../x link && mkdir deep && mkfifo pipe && : >empty"))
                .contains("exit code 0");
        assertThat(tools.listFiles("data")).isEqualTo("""
                a b;c.txt, 3 bytes
                deep/
                empty, 0 bytes
                link -> ../x
                pipe, a pipe
                """);
        assertThat(tools.listFiles("data/deep")).isEqualTo("[/work/data/deep is empty.]");
        assertThat(tools.readFile("data/empty")).isEqualTo("[/work/data/empty is empty.]");
        assertThat(tools.listFiles(".")).contains("data/\n");
        assertThat(SandboxTools.of(sandbox, SETTINGS.withShownCharacters(100)).listFiles("/bin"))
                .endsWith(" files are left out here. List them by a command.]");
    }

    @Test
    void whatIsWrongWithAFileIsAnAnswer() {
        assertThat(tools.readFile("none")).isEqualTo("In the guest, '/work/none' does not exist.");
        assertThat(tools.readFile("/bin")).isEqualTo("In the guest, '/bin' is a directory.");
        assertThat(tools.writeFile("/bin/sh/x", "")).contains("'/bin/sh").endsWith("is none.");
        assertThat(tools.listFiles("/proc/self/none")).contains("does not exist");
        assertThat(tools.readFile("a\0b")).isNotEmpty();
        assertThat(tools.readFile("")).isEqualTo("In the guest, '/work' is a directory.");
        assertThat(tools.readFile("/bin/busybox"))
                .isEqualTo("/bin/busybox is no text in UTF-8. Look at it by a command or a program.");
        assertThat(tools.runCommand("echo a\0b")).isNotEmpty();
    }

    @Test
    void aLongFileIsCutBetweenCharacters() {
        SandboxTools small = SandboxTools.of(sandbox, SETTINGS.withShownCharacters(101));
        assertThat(tools.writeFile("long", "😀".repeat(1000))).startsWith("Wrote 4000 bytes");
        assertThat(small.readFile("long"))
                .isEqualTo("😀".repeat(51) + "\n[The file is longer: these are its first 102 characters, 204 bytes. "
                        + "Look at other parts of it by a command or a program.]");
        assertThat(small.readFile("/dev/zero")).startsWith("/dev/zero is no text");
    }

    @Test
    void callsRunSideBySide() {
        var answers = IntStream.range(0, 4)
                .mapToObj(i -> CompletableFuture.supplyAsync(() -> tools.runCode("shell", "sleep 1; echo " + i)))
                .toList();
        assertThat(answers).extracting(CompletableFuture::join).containsExactly("0\n", "1\n", "2\n", "3\n");
    }

    @Test
    void aSandboxThatEndsIsAnAnswer() {
        try (Sandbox other = start()) {
            SandboxTools its = SandboxTools.of(other, SETTINGS);
            other.stop(Duration.ZERO);
            assertThat(its.runCode("shell", "echo 42")).endsWith("Nothing more can be run in it.");
            assertThat(its.runCommand("echo 42")).endsWith("Nothing more can be run in it.");
            assertThat(its.readFile("x")).endsWith("Nothing more can be run in it.");
        }
    }

    @Test
    void anotherUserHasTheCommandsAndTheFiles() {
        assertThat(tools.runCommand("mkdir -p /home/other && chown 1000 /home/other"))
                .contains("exit code 0");
        SandboxTools other = SandboxTools.of(sandbox, SETTINGS.withUser("1000").withWorkingDirectory("/home/other"));
        assertThat(other.writeFile("mine", "text")).startsWith("Wrote");
        assertThat(other.runCode("shell", "id -u; stat -c %u mine; echo more >>mine"))
                .isEqualTo("1000\n1000\n");
        assertThat(other.writeFile("/etc/passwd", "")).contains("may not be used so by this user");
    }

    @Test
    void anInterruptIsForTheApplication() {
        Thread.currentThread().interrupt();
        try {
            assertThatThrownBy(() -> tools.runCommand("sleep 1000"))
                    .isInstanceOf(ClocheException.class)
                    .hasFieldOrPropertyWithValue("code", "vm.interrupted");
        } finally {
            assertThat(Thread.interrupted()).isTrue();
        }
    }
}
