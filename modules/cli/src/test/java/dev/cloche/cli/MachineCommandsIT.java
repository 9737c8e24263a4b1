package dev.cloche.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code cloche machine …} as people type it. */
class MachineCommandsIT {
    @TempDir
    Path directory;

    private Program cloche;

    @BeforeEach
    void prepare() {
        cloche = Program.in(directory.resolve("home"));
    }

    @AfterEach
    void nothingRuns() {
        cloche.run("machine", "rm", "-f", "dev", "two", "odd");
        assertThat(cloche.vmProcesses()).isEmpty();
    }

    @Test
    void aMachineFromItsCreationToItsEnd() throws IOException {
        Program.Result made = cloche.run(
                "machine", "create", "-q", "dev", "--image", "base", "-m", "256m", "--disk", "1", "-l", "a=b");
        assertThat(made).isEqualTo(new Program.Result(0, "dev\n", ""));
        assertThat(cloche.run("machine", "create", "dev", "--image", "base").exitCode())
                .isEqualTo(1);
        ok(cloche.run("machine", "default", "dev"), "dev\n");

        Program.Result shell =
                cloche.run("echo $((6*7)); hostname\n".getBytes(StandardCharsets.UTF_8), "machine", "shell", "-T");
        ok(shell, "42\ndev\n");
        ok(cloche.run("machine", "wait", "--state", "running", "dev"), "running\n");
        Path file = Files.writeString(directory.resolve("file"), "content");
        assertThat(cloche.run("machine", "cp", file.toString(), "dev:/root/copy")
                        .exitCode())
                .isZero();
        ok(cloche.run("machine", "exec", "dev", "--", "cat", "/root/copy"), "content");
        assertThat(cloche.run("machine", "exec", "dev", "sh", "-c", "exit 7").exitCode())
                .isEqualTo(7);
        assertThat(cloche.run("machine", "exec", "dev", "no-such-program").exitCode())
                .isEqualTo(127);
        assertThat(cloche.run("machine", "rm", "dev").stderr()).contains("runs");

        ok(cloche.run("machine", "stop", "-t", "2s", "dev"), "dev\n");
        assertThat(cloche.run("machine", "exec", "dev", "true").stderr()).contains("cloche machine start dev");
        assertThat(cloche.run("machine", "ls", "--format", "json", "-l", "a=b").stdout())
                .contains("\"name\" : \"dev\"", "\"state\" : \"stopped\"", "\"a\" : \"b\"", "\"memoryMib\" : 256");
        assertThat(cloche.run("machine", "inspect", "dev").stdout()).contains("256 MiB", "stopped");
        assertThat(cloche.run("machine", "events", "dev").stdout())
                .containsSubsequence("created", "starting", "started", "stopping", "stopped");
        ok(cloche.run("machine", "snapshot", "dev", "first"), "first\n");
        assertThat(cloche.run("machine", "snapshot", "dev").stdout()).contains("SNAPSHOT", "first", "no");
        assertThat(cloche.run("machine", "snapshot", "dev", "--format", "json").stdout())
                .contains("\"name\" : \"first\"", "\"memory\" : false");
        ok(cloche.run("machine", "snapshot", "--rm", "dev", "first"), "first\n");
        assertThat(cloche.run("machine", "snapshot", "--rm", "dev", "first").stderr())
                .contains("has no snapshot \"first\"");
        Program.Result typo = cloche.run("machine", "rm", "devv");
        assertThat(typo.exitCode()).isEqualTo(1);
        assertThat(typo.stderr()).contains("There is no machine named \"devv\".", "Did you mean dev?");
        ok(cloche.run("machine", "rm", "--force", "devv"), "devv\n");
        ok(cloche.run("machine", "rm", "dev"), "dev\n");
        ok(cloche.run("machine", "ls", "--format", "json"), "[ ]\n");
        for (String size : new String[] {"--cpus", "--memory", "--disk"}) {
            Program.Result none = cloche.run("machine", "create", "dev", "--image", "base", size, "0");
            assertThat(none.exitCode()).isEqualTo(1);
            assertThat(none.stderr()).contains("out of range");
        }
    }

    @Test
    void aConfigurationIsEditedAndWhatIsWrongReplacesNothingAndIsShown() throws IOException {
        ok(cloche.run("machine", "create", "dev", "--image", "base", "--disk", "1"), "dev\n");
        Path config = cloche.home().resolve("machines/dev/config.toml");
        cloche.environment().put("EDITOR", "sed -i 's/^cpus = 2/cpus = 3 # one more/'");
        ok(cloche.run("machine", "edit", "dev"), "dev\n");
        assertThat(config).content().contains("cpus = 3 # one more");

        String good = Files.readString(config);
        cloche.environment().put("EDITOR", "sed -i 's/^cpus = .*/cpus = many/'");
        Program.Result bad = cloche.run("machine", "edit", "dev");
        assertThat(bad.exitCode()).isEqualTo(1);
        assertThat(bad.stderr())
                .contains("This is no configuration of the machine \"dev\": line 7: ", "stays as it was");
        assertThat(takenDraft(bad)).contains("cpus = many");
        assertThat(config).hasContent(good.stripTrailing());
        cloche.environment().put("EDITOR", "sed -i 's/^disk_gb = .*/disk_gb = 0/'");
        Program.Result none = cloche.run("machine", "edit", "dev");
        assertThat(none.stderr()).contains("out of range");
        assertThat(takenDraft(none)).contains("disk_gb = 0");

        cloche.environment().put("EDITOR", "sed -i 's/^cpus = 3/cpsu = 4/'");
        assertThat(cloche.run("machine", "edit", "dev").stderr()).contains("the key cpsu means nothing to Cloche");
        cloche.environment().put("EDITOR", "sed -i 's/^cpsu = 4/cpus = 3/'");
        assertThat(cloche.run("machine", "edit", "dev").stderr()).isEmpty();
        cloche.environment().put("EDITOR", "false");
        assertThat(cloche.run("machine", "edit", "dev").stderr()).contains("exit code 1, so nothing is changed");

        assertThat(cloche.run("machine", "set", "dev").stderr()).contains("Nothing is to be changed");
        ok(cloche.run("machine", "set", "dev", "--memory", "1g", "--label", "x=y"), "dev\n");
        assertThat(config).content().contains("cpus = 3 # one more", "memory_mb = 1024", "x = \"y\"");
        Path wanted = Files.writeString(
                directory.resolve("dev.toml"), "name = \"dev\"\nmemory_mb = 512\nrestart_policy = \"always\"\n");
        ok(cloche.run("machine", "apply", wanted.toString()), "dev\n");
        assertThat(config).content().contains("memory_mb = 512", "restart_policy = \"always\"", "one more");
        Files.writeString(wanted, "name = \"dev\"\nmemory = 512\n");
        assertThat(cloche.run("machine", "apply", wanted.toString()).stderr()).contains("dev.toml:2", "memory");

        Files.createDirectories(cloche.home().resolve("machines/odd"));
        Path odd = Files.writeString(cloche.home().resolve("machines/odd/config.toml"), "name = \"odd\"\ncpus = =\n");
        Program.Result list = cloche.run("machine", "ls");
        assertThat(list.stdout()).contains("odd", "broken", odd + ":2: ").contains("dev");
        assertThat(cloche.run("machine", "inspect", "odd").stdout()).contains("broken", "cloche machine edit odd");
        assertThat(cloche.run("machine", "inspect", "odd", "--format", "json").stdout())
                .contains("\"state\" : \"broken\"", "\"line\" : 2", "\"remedy\"");
        assertThat(cloche.run("machine", "inspect", "dev").stdout())
                .containsPattern("vm +[0-9a-f-]+")
                .containsPattern("image digest +sha256:");
        assertThat(cloche.run("machine", "start", "odd").stderr()).contains("config.toml:2", "cloche machine edit odd");
        assertThat(cloche.run("machine", "create", "odd", "--image", "base").exitCode())
                .isEqualTo(1);
        assertThat(cloche.run("machine", "rm", "odd").exitCode()).isEqualTo(1);
        assertThat(odd).exists();
        ok(cloche.run("machine", "rm", "--force", "odd"), "odd\n");

        ok(
                cloche.run(
                        "machine", "create", "two", "--image", "base", "--disk", "1", "-m", "256m", "--init",
                        "systemd"),
                "two\n");
        assertThat(cloche.run("machine", "start", "two").stderr())
                .contains("The image base of the machine \"two\" has no init systemd: there is no")
                .contains("cloche machine set two --init agent");
        assertThat(cloche.run("machine", "inspect", "two", "--format", "json").stdout())
                .contains("\"state\" : \"failed\"");
        ok(cloche.run("machine", "set", "two", "--init", "agent"), "two\n");
        assertThat(cloche.run("machine", "set", "two", "--network", "none", "-p", "80/udp")
                        .stderr())
                .contains("UDP needs a network");
    }

    @Test
    void theUnitStartsTheProgramThatWroteIt() throws IOException {
        cloche.environment().put("XDG_CONFIG_HOME", directory.resolve("config").toString());
        Path unit = directory.resolve("config/systemd/user/cloche-machines.service");
        ok(cloche.run("machine", "autostart", "install"), unit + "\n");
        assertThat(unit)
                .content()
                .contains(
                        "ExecStart=\"" + Program.launcher() + "\" machine autostart start",
                        "Environment=\"CLOCHE_HOME=" + cloche.home() + "\"");
        assertThat(cloche.run("machine", "autostart", "start").exitCode()).isZero();
        assertThat(cloche.run("machine", "autostart", "uninstall").exitCode()).isZero();
        assertThat(unit).doesNotExist();
    }

    /** Returns what was written to a draft that an edit kept, and removes it. */
    private static String takenDraft(Program.Result edit) throws IOException {
        Matcher place = Pattern.compile("what was written is in (\\S+)").matcher(edit.stderr());
        assertThat(place.find()).as(edit.stderr()).isTrue();
        Path draft = Path.of(place.group(1));
        String text = Files.readString(draft);
        Files.delete(draft);
        return text;
    }

    private static void ok(Program.Result result, String stdout) {
        assertThat(result.exitCode()).as(result.stderr()).isZero();
        assertThat(result.stdout()).isEqualTo(stdout);
    }
}
