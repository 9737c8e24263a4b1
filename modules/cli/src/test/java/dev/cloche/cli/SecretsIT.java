package dev.cloche.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cloche.cli.Program.Result;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Secrets as they are given in a shell: where they are, and where they are not. */
class SecretsIT {
    private static final String VALUE = "hunter2-of-this-test";
    private static final String LOOK = "cd /run/secrets && for s in *; do stat -c '%n %a %U' $s; cat $s; echo; done";

    @TempDir
    Path home;

    @TempDir
    Path elsewhere;

    private Program cloche;

    @BeforeEach
    void install() {
        cloche = Program.in(home);
        cloche.environment().put("TOKEN", VALUE);
    }

    @AfterEach
    void nothingIsLeftBehind() throws IOException {
        assertThat(cloche.run("ps", "-a", "--format", "json").stdout().strip()).isEqualTo("[ ]");
        assertThat(cloche.vmProcesses()).isEmpty();
        assertThat(cloche.vmDirectories()).isEmpty();
    }

    /** How it began. */
    private String startWithOne() {
        Result run = cloche.run(
                "run", "--format", "json", "-m", "256m", "--secret", "TOKEN", "base", "--", "sh", "-c", LOOK);
        assertThat(run.stdout()).as(run.stderr()).isEqualTo("TOKEN 400 root\n" + VALUE + "\n");
        assertThat(run.stderr()).doesNotContain(VALUE);
        return run.stderr().lines().toList().getLast();
    }

    @Test
    void aBootedARestoredAndAWarmGuestHasIt() {
        assertThat(startWithOne()).contains("\"kind\":\"cold\"");
        assertThat(cloche.run("template", "make", "-q", "-m", "256m", "base").exitCode())
                .isZero();
        assertThat(startWithOne()).contains("\"kind\":\"restored\"");
        assertThat(cloche.run("pool", "set", "base", "-m", "256m", "--depth", "1")
                        .exitCode())
                .isZero();
        assertThat(cloche.run("pool", "fill", "-q").exitCode()).isZero();
        assertThat(startWithOne()).contains("\"kind\":\"warm\"");
        Result without = cloche.run("run", "-m", "256m", "base", "--", "ls", "/run/secrets");
        assertThat(without.stdout()).doesNotContain("TOKEN");
        assertThat(cloche.run("pool", "rm", "base", "-m", "256m").exitCode()).isZero();
    }

    @Test
    void itIsNowhereOnTheHostButWhereItIsKeptForTheNextStart() throws IOException {
        Path file = Files.writeString(elsewhere.resolve("key"), "from a file\n");
        Result run = cloche.run(
                "run",
                "-q",
                "-d",
                "--name",
                "kept",
                "-m",
                "256m",
                "--disk",
                "0",
                "--secret",
                "id=token,env=TOKEN",
                "--secret",
                "id=key,src=" + file,
                "base",
                "--",
                "sleep",
                "600");
        assertThat(run).isEqualTo(new Result(0, "kept\n", ""));
        theGuestHasBoth();
        assertThat(commandLines()).noneMatch(line -> line.contains(VALUE));
        assertThat(cloche.run("inspect", "kept", "--format", "json").stdout()).doesNotContain(VALUE, encoded());
        assertThat(cloche.run("events", "--since", "1h", "--no-follow", "--format", "json")
                        .stdout())
                .doesNotContain(VALUE, encoded());
        assertThat(filesWithIt()).containsExactly("secrets");

        assertThat(cloche.run("stop", "-t", "0s", "kept").exitCode()).isZero();
        assertThat(cloche.run("start", "kept").exitCode()).isZero();
        theGuestHasBoth();
        assertThat(cloche.run("rm", "--force", "kept").exitCode()).isZero();
        assertThat(filesWithIt()).isEmpty();
    }

    private void theGuestHasBoth() {
        assertThat(cloche.run("exec", "kept", "--", "sh", "-c", LOOK).stdout())
                .isEqualTo("key 400 root\nfrom a file\n\ntoken 400 root\n" + VALUE + "\n");
        // What is not root's own does not read it.
        assertThat(cloche.run("exec", "-u", "65534", "kept", "--", "cat", "/run/secrets/token"))
                .satisfies(result -> assertThat(result.exitCode()).isEqualTo(1))
                .satisfies(result -> assertThat(result.stdout()).isEmpty());
    }

    private static String encoded() {
        return Base64.getEncoder().encodeToString(VALUE.getBytes(StandardCharsets.UTF_8));
    }

    private static List<String> commandLines() throws IOException {
        try (Stream<Path> processes = Files.list(Path.of("/proc"))) {
            return processes
                    .map(process -> process.resolve("cmdline"))
                    .filter(Files::isReadable)
                    .map(SecretsIT::content)
                    .toList();
        }
    }

    /** The names of the files of the state root in which it is, as it is or as it is kept. */
    private List<String> filesWithIt() throws IOException {
        try (Stream<Path> files = Files.walk(home)) {
            return files.filter(Files::isRegularFile)
                    .filter(file -> {
                        String content = content(file);
                        return content.contains(VALUE) || content.contains(encoded());
                    })
                    .map(file -> file.getFileName().toString())
                    .toList();
        }
    }

    private static String content(Path file) {
        try {
            return Files.readString(file, StandardCharsets.ISO_8859_1);
        } catch (IOException | UncheckedIOException ended) {
            return "";
        }
    }

    private String tokenOf(String sandbox) {
        return cloche.run("exec", sandbox, "--", "sh", "-c", "cat /run/secrets/TOKEN 2>/dev/null; ls /run/secrets")
                .stdout();
    }

    @Test
    void aForkAndARestoreHaveTheSecretsThatTheyAreToHaveAndNoOthers() {
        ok(
                "run",
                "-q",
                "-d",
                "--rm",
                "--name",
                "parent",
                "-m",
                "256m",
                "--secret",
                "TOKEN",
                "base",
                "--",
                "sleep",
                "600");
        ok("fork", "--name", "plain", "--rm", "parent");
        ok("fork", "--name", "keeps", "--rm", "--keep-secrets", "parent");
        ok("snapshot", "create", "parent", "kept");
        cloche.environment().put("OTHER", "another one");
        ok("restore", "--name", "own", "--rm", "--secret", "id=TOKEN,env=OTHER", "kept");
        assertThat(tokenOf("plain-1")).isEmpty();
        assertThat(tokenOf("keeps-1")).isEqualTo(VALUE + "TOKEN\n");
        assertThat(tokenOf("own")).isEqualTo("another oneTOKEN\n");
        assertThat(tokenOf("parent")).isEqualTo(VALUE + "TOKEN\n");
        Result both = cloche.run("restore", "--keep-secrets", "--secret", "OTHER", "kept");
        assertThat(both.exitCode()).isNotZero();
        assertThat(both.stderr()).contains("keep its original's").doesNotContain("another one");
        ok("rm", "--force", "plain-1", "keeps-1", "own", "parent");
        ok("snapshot", "rm", "kept");
    }

    private void ok(String... words) {
        Result result = cloche.run(words);
        assertThat(result.exitCode()).as(result.stderr()).isZero();
    }

    @Test
    void aValueOnTheCommandLineIsRefusedAndNotRepeated() {
        Result value = cloche.run("run", "--secret", "TOKEN=" + VALUE, "base", "--", "true");
        assertThat(value.exitCode()).isEqualTo(125);
        assertThat(value.stderr()).contains("never the secret", "--secret id=NAME,env=VARIABLE");
        assertThat(value.stdout() + value.stderr()).doesNotContain(VALUE);
        assertThat(cloche.run("create", "--secret", "NOT_THERE", "base").stderr())
                .contains("no variable \"NOT_THERE\"", "export");
        assertThat(cloche.run("create", "--secret", "id=a/b,env=TOKEN", "base").stderr())
                .contains("'a/b' is no name of a secret")
                .doesNotContain(VALUE);
        assertThat(cloche.run("create", "--secret", "id=big,src=/dev/zero", "base")
                        .stderr())
                .contains("'big' is too large", "64 KiB");
    }
}
