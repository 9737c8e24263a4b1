package dev.cloche.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.cloche.cli.Program.Result;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code cloche cp} with a detached sandbox of another process. */
class CopyIT {
    @TempDir
    static Path home;

    @TempDir
    Path work;

    static Program cloche;

    @BeforeAll
    static void start() {
        cloche = Program.in(home);
        Result started = cloche.run("run", "-d", "--name", "box", "base", "--", "sleep", "3600");
        assertThat(started.exitCode()).as(started.stderr()).isZero();
    }

    @AfterAll
    static void end() {
        assertThat(cloche.run("rm", "-f", "box").exitCode()).isZero();
        assertThat(cloche.vmProcesses()).isEmpty();
    }

    @BeforeEach
    void clean() {
        assertThat(guest("rm -rf /t; mkdir /t").exitCode()).isZero();
    }

    @Test
    void treesGoInAndComeOut() throws IOException {
        Path tree = Files.createDirectories(work.resolve("tree/sub"));
        Files.writeString(tree.resolve("file"), "content");
        Files.createSymbolicLink(tree.resolve("link"), Path.of("file"));
        cp("cp", work.resolve("tree").toString(), "box:/t");
        assertThat(guest("cat /t/tree/sub/link").stdout()).isEqualTo("content");
        cp("cp", work.resolve("tree") + "/.", "box:/t/new");
        assertThat(guest("cd /t/new && echo *").stdout()).isEqualTo("sub\n");
        cp("cp", work.resolve("tree") + "/.", "box:/t");
        assertThat(guest("cat /t/sub/file").stdout()).isEqualTo("content");

        cp("cp", "box:/t/new", work.resolve("back").toString());
        assertThat(work.resolve("back/sub/link")).isSymbolicLink().hasContent("content");
        cp("cp", "-L", "box:/t/sub/link", "box:/t/sub/file", work.toString());
        assertThat(work.resolve("link")).isRegularFile().hasContent("content");
        assertThat(work.resolve("file")).hasContent("content");
    }

    @Test
    void aLargeFileComesBackTheSame() throws IOException {
        byte[] bytes = new byte[20_000_000];
        new Random(9).nextBytes(bytes);
        Path file = Files.write(work.resolve("large"), bytes);
        cp("cp", "-a", file.toString(), "box:/t/");
        cp("cp", "-q", "box:/t/large", work.resolve("again").toString());
        assertThat(work.resolve("again")).hasSameBinaryContentAs(file);
    }

    @Test
    void mistakesAreSaidInOneSentence() throws IOException {
        Result missing = cloche.run("cp", "box:/none", work.toString());
        assertThat(missing.exitCode()).isEqualTo(1);
        assertThat(missing.stderr()).contains("'/none' does not exist").doesNotContain("\tat ");
        assertThat(cloche.run("cp", work + "/none", "box:/t").stderr()).contains("does not exist");
        assertThat(cloche.run("cp", work.toString(), work.toString()).exitCode())
                .isEqualTo(2);
        assertThat(cloche.run("cp", "box:/t", "box:/u").exitCode()).isEqualTo(2);
        assertThat(cloche.run("cp", "nobox:/t", work.toString()).stderr()).contains("no sandbox named");
        Path file = Files.writeString(work.resolve("file"), "x");
        assertThat(cloche.run("cp", file.toString(), "box:/t/none/").exitCode()).isEqualTo(2);
    }

    @Test
    void directoriesOnTheWayAreMadeInASandbox() throws IOException {
        Path file = Files.writeString(work.resolve("file"), "found");
        cp("cp", file.toString(), "box:/t/on/the/way");
        assertThat(guest("cat /t/on/the/way").stdout()).isEqualTo("found");
    }

    @Test
    void aSandboxThatLaysTrapsCatchesNothing() throws IOException {
        Path victim = Files.createDirectory(work.resolve("victim"));
        Path out = Files.createDirectory(work.resolve("out"));
        Files.createSymbolicLink(out.resolve("trap"), victim);
        guest("mkdir /t/trap; echo bad > /t/trap/file; ln -s " + victim + " /t/way-out; mkfifo /t/fifo");
        Result refused = cloche.run("cp", "box:/t/trap", out.toString());
        assertThat(refused.exitCode()).isEqualTo(1);
        assertThat(refused.stderr()).contains("is in the way");
        Result copied = cloche.run("cp", "box:/t/.", work.resolve("all").toString());
        assertThat(copied.exitCode()).isZero();
        assertThat(copied.stderr()).contains("/t/fifo", "was left out");
        assertThat(work.resolve("all/way-out")).isSymbolicLink();
        assertThat(work.resolve("all/trap/file")).hasContent("bad\n");
        assertThat(victim).isEmptyDirectory();
    }

    private static void cp(String... arguments) {
        assertThat(cloche.run(arguments)).isEqualTo(new Result(0, "", ""));
    }

    private static Result guest(String script) {
        return cloche.run("".getBytes(UTF_8), "exec", "box", "--", "sh", "-c", script);
    }
}
