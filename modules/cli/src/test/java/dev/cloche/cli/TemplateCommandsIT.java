package dev.cloche.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cloche.cli.Program.Result;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code cloche template} as people type it. */
class TemplateCommandsIT {
    @TempDir
    Path home;

    private Program cloche;

    @BeforeEach
    void install() {
        cloche = Program.in(home);
    }

    @AfterEach
    void nothingRuns() {
        assertThat(cloche.vmProcesses()).isEmpty();
    }

    private String done(String... words) {
        Result result = cloche.run(words);
        assertThat(result.exitCode()).as(result.stderr()).isZero();
        return result.stdout();
    }

    @Test
    void aTemplateIsMadeOnceUsedListedRemovedAndPruned() {
        String name = done("template", "make", "-q", "-m", "256m", "base").strip();
        assertThat(done("template", "make", "-q", "-m", "256m", "base").strip()).isEqualTo(name);
        assertThat(done("template", "ls")).contains(name, "256m");
        assertThat(done("template", "inspect", name))
                .contains("\"name\" : \"" + name + "\"", "\"memoryMib\" : 256", "\"cpus\" : 1", "\"usable\" : true");
        Result restored = cloche.run("run", "--format", "json", "-m", "256m", "base", "--", "true");
        assertThat(restored.stderr()).contains("\"kind\":\"restored\"");

        // What lives from it keeps it.
        done("run", "-q", "-d", "--rm", "--name", "user", "-m", "256m", "base", "--", "sleep", "600");
        assertThat(cloche.run("template", "rm", name).stderr())
                .contains("Stop the VMs that were restored from it first");
        assertThat(done("template", "prune")).isEmpty();
        assertThat(done("system", "prune", "--dry-run")).isEmpty();
        done("rm", "--force", "user");

        assertThat(done("template", "prune", "--unused-for", "1h")).isEmpty();
        assertThat(done("system", "prune", "--dry-run")).contains("template " + name + "\n");
        assertThat(done("template", "ls")).contains(name);
        assertThat(done("template", "prune", "--format", "json")).contains(name);
        assertThat(done("template", "ls", "--format", "json").strip()).isEqualTo("[ ]");
        String again = done("template", "make", "-q", "-m", "256m", "base").strip();
        assertThat(again).isEqualTo(name);
        done("template", "rm", name);
        Result gone = cloche.run("template", "inspect", name);
        assertThat(gone.exitCode()).isEqualTo(1);
        assertThat(gone.stderr()).contains(name, "cloche template ls");
    }

    @Test
    void aTemplateIsPreparedAndItsSandboxesGoOnFromThere() throws Exception {
        Path page = Files.writeString(home.resolve("page"), "well\n");
        Result made = cloche.run(
                "template",
                "make",
                "base",
                "-m",
                "256m",
                "--as",
                "web",
                "--copy-in",
                page + ":/www/word",
                "-e",
                "WORD=said",
                "--run",
                "echo run $WORD",
                "--start",
                "exec httpd -f -p 8080 -h /www",
                "--ready-port",
                "8080",
                "--ready-http",
                "8080/word",
                "--on-clone",
                "head -c 9 /dev/urandom >/seed");
        assertThat(made.exitCode()).as(made.stderr()).isZero();
        assertThat(made.stdout()).isEqualTo("web\n");
        assertThat(made.stderr()).contains("run said");
        assertThat(done("template", "ls")).contains("web", "base");
        assertThat(done("template", "inspect", "web")).contains("\"prepared\" : true", "\"changedFiles\" : [ ]");
        Files.writeString(page, "other\n");
        assertThat(done("template", "inspect", "web")).contains("\"" + page + "\"");

        String script = "wget -q -O - http://127.0.0.1:8080/word; echo $WORD; [ -s /seed ]; exit $?";
        assertThat(done("run", "--template", "web", "--", "sh", "-c", script)).isEqualTo("well\nsaid\n");
        assertThat(cloche.run("run", "--template", "web", "--", "sh", "-c", "exit 7")
                        .exitCode())
                .isEqualTo(7);
        done("run", "-d", "--rm", "--name", "served", "--template", "web");
        assertThat(done("exec", "served", "--", "sh", "-c", script)).isEqualTo("well\nsaid\n");
        done("rm", "-f", "served");

        done(
                "pool",
                "set",
                "--template",
                "web",
                "--depth",
                "1",
                "--health-port",
                "8080",
                "--health-http",
                "8080/word",
                "--",
                "sh",
                "-c",
                "pidof httpd");
        done("pool", "fill", "-q");
        assertThat(done("pool", "ls")).contains("template web", "pidof httpd, port 8080, GET 8080/word");
        assertThat(done("pool", "ls", "--format", "json")).contains("\"port\" : 8080", "\"path\" : \"/word\"");
        Result warm = cloche.run("run", "--format", "json", "--template", "web", "--", "sh", "-c", script);
        assertThat(warm.stdout()).isEqualTo("well\nsaid\n");
        assertThat(warm.stderr()).contains("\"kind\":\"warm\"");
        done("pool", "rm", "--template", "web");
        done("template", "rm", "web");
        assertThat(done("template", "ls", "--format", "json").strip()).isEqualTo("[ ]");
    }

    @Test
    void firstMistakesWithPreparedTemplatesAreTold() {
        assertRefused("has a name", "template", "make", "base", "--run", "true");
        assertRefused("PATH:/PATH-IN-THE-GUEST", "template", "make", "base", "--as", "x", "--copy-in", "here");
        assertRefused("has no meaning with --template", "run", "--template", "x", "--memory", "1g", "--", "true");
        assertRefused("which runs no command", "run", "-d", "--template", "x", "-e", "A=B");
        assertRefused("--memory is of a new sandbox", "repl", "--sandbox", "x", "--memory", "1g");
        assertRefused("Say what to run in it", "run", "--template", "x");
        assertRefused("There is no image", "run");
        assertRefused("There is no image", "pool", "set", "--depth", "1");
        assertRefused("no meaning with --template", "pool", "set", "--template", "x", "--memory", "1g", "--depth", "1");
        assertRefused("no template named \"x\"", "pool", "set", "--template", "x", "--depth", "1");
        Result failed = cloche.run(
                "template",
                "make",
                "base",
                "-m",
                "256m",
                "--as",
                "bad",
                "--run",
                "echo first; echo no space >&2; exit 3");
        assertThat(failed.exitCode()).isEqualTo(1);
        assertThat(failed.stderr()).contains("first", "no space", "ended with exit code 3");
        done("template", "make", "base", "-q", "-m", "256m", "--as", "late", "--on-clone", "echo no seed; exit 4");
        for (String[] start : new String[][] {
            {"run", "--template", "late", "--", "true"}, {"run", "-d", "--template", "late"}, {"restore", "late"}
        }) {
            Result unready = cloche.run(start);
            assertThat(unready.exitCode()).isNotZero();
            assertThat(unready.stderr()).contains("no seed", "A sandbox of the template \"late\" is not ready");
        }
        assertThat(done("ps", "-a", "--format", "json").strip()).isEqualTo("[ ]");
        done("template", "rm", "late");
        assertThat(cloche.run("run", "--template", "bad", "--", "true").stderr())
                .contains("no snapshot or template named \"bad\"");
    }

    private void assertRefused(String why, String... words) {
        Result refused = cloche.run(words);
        assertThat(refused.exitCode()).as(refused.stderr()).isNotZero();
        assertThat(refused.stderr()).contains(why);
    }
}
