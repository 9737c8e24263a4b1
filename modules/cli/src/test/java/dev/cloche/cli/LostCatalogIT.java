package dev.cloche.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.cloche.cli.Program.Result;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What becomes of VMs whose records are lost. */
class LostCatalogIT {
    @TempDir
    static Path home;

    static Program cloche;

    @BeforeAll
    static void install() {
        cloche = Program.in(home);
    }

    private static Result good(String... arguments) {
        Result result = cloche.run(arguments);
        assertThat(result.exitCode())
                .as("%s: %s", String.join(" ", arguments), result)
                .isZero();
        return result;
    }

    private static void loseTheCatalog() throws IOException {
        for (String file : List.of("catalog.db", "catalog.db-wal", "catalog.db-shm")) {
            Files.deleteIfExists(home.resolve(file));
        }
    }

    @Test
    void aVmIsShownFoundAgainByARestoredCatalogAndEndedWithoutOne() throws IOException {
        good("run", "-d", "--name", "web", "base", "--", "sh", "-c", "echo said; exec sleep 1000");
        // The copy of the day is of these records, not of the empty ones below.
        good("maintain");
        assertThat(home.resolve("catalog.db.yesterday")).exists();
        Path copy = home.resolve("copy");
        good("catalog", "backup", copy.toString());
        loseTheCatalog();

        Result lost = good("ps", "-a");
        assertThat(lost.stdout()).doesNotContain("web");
        assertThat(lost.stderr()).contains("A VM runs that no sandbox has", "maintain --orphans", "catalog restore");
        Result check = cloche.run("catalog", "check");
        assertThat(check.exitCode()).isEqualTo(1);
        assertThat(check.stdout()).contains("no sandbox, machine or pool has it");
        good("maintain");
        assertThat(cloche.vmProcesses())
                .as("a sweep ends no VM without a record")
                .isNotEmpty();

        Files.write(home.resolve("catalog.db"), new byte[5000]);
        Result damaged = cloche.run("ps");
        assertThat(damaged.exitCode()).isEqualTo(1);
        assertThat(damaged.stderr()).contains("cloche catalog restore");
        assertThat(good("catalog", "restore", copy.toString()).stdout()).isEqualTo(copy + "\n");
        Result found = good("ps");
        assertThat(found.stdout()).contains("web", "running");
        assertThat(found.stderr()).isEmpty();
        assertThat(good("exec", "web", "echo", "lives").stdout()).isEqualTo("lives\n");
        assertThat(good("logs", "web").stdout()).isEqualTo("said\n");
        assertThat(good("catalog", "check").stdout()).isEqualTo("all is sound\n");

        loseTheCatalog();
        assertThat(good("maintain", "--orphans", "--dry-run").stdout()).contains("vm", "runs");
        assertThat(cloche.vmProcesses()).isNotEmpty();
        assertThat(good("maintain", "--orphans")).isEqualTo(new Result(0, "", ""));
        assertThat(cloche.vmProcesses()).isEmpty();
        assertThat(cloche.vmDirectories()).isEmpty();
        assertThat(good("ps", "-a").stderr()).isEmpty();
    }

    /** The commands of docs/operations.md. */
    @Test
    void whatALostSandboxWroteIsTakenFromItsDisk() throws Exception {
        good("run", "-q", "-d", "-m", "128m", "--disk", "64m", "--name", "lost", "base", "--", "sleep", "1000");
        good("exec", "lost", "--", "sh", "-c", "echo precious >/root/kept; sync");
        loseTheCatalog();
        assertThat(good("ps", "-a").stderr()).contains("docs/operations.md");
        assertThat(cloche.run("exec", "lost", "true").exitCode()).isEqualTo(125);

        Path vm = cloche.vmDirectories().getFirst();
        String guard = Files.readString(vm.resolve("guard.json")).replaceFirst("(?s).*\"pid\":(\\d+).*", "$1");
        Program.run(List.of("sh", "-c", "kill " + guard));
        await().until(() -> cloche.vmProcesses().isEmpty());
        String disk = directoryOf("lost").resolve("disk/disk.0").toString();
        String copy = home.resolve("raw").toString();
        Path files = Files.createDirectory(home.resolve("files"));
        Program.run(List.of("qemu-img", "convert", "-O", "raw", "-f", "raw", disk, copy));
        // 1 says that it has mended something, as it does with a journal.
        Program.run(List.of("sh", "-c", "e2fsck -fy '" + copy + "' || [ $? = 1 ]"));
        Program.run(List.of("debugfs", "-R", "rdump /upper " + files, copy));
        assertThat(files.resolve("upper/root/kept")).hasContent("precious");
        good("maintain", "--orphans");
        assertThat(cloche.vmDirectories()).isEmpty();
    }

    private static Path directoryOf(String sandbox) throws IOException {
        try (Stream<Path> all = Files.list(home.resolve("sandboxes"))) {
            return all.filter(path -> path.getFileName().toString().startsWith(sandbox + "-"))
                    .findFirst()
                    .orElseThrow();
        }
    }
}
