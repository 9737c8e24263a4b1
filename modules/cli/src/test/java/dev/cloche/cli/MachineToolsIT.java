package dev.cloche.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What {@code cloche machine …} makes of machines: copies, other names, files to take along, and what a session starts. */
class MachineToolsIT {
    @TempDir
    Path directory;

    private Program cloche;

    @BeforeEach
    void prepare() {
        cloche = Program.in(directory.resolve("home"));
    }

    @AfterEach
    void nothingRuns() {
        cloche.run("machine", "rm", "-f", "dev", "two", "four");
        assertThat(cloche.vmProcesses()).isEmpty();
    }

    @Test
    void whatACreationIsToldIsInItsFile() throws IOException {
        Path script = Files.writeString(directory.resolve("setup.sh"), "#!/bin/sh\n");
        printed(
                "dev\n",
                "create -q dev --image base --cpus 3 --memory 300m --disk 2g --network user --publish 127.0.0.1:0:80"
                        + " --env A=b --label team=x --autostart --restart on-failure --init /sbin/init --provision "
                        + script);
        assertThat(cloche.home().resolve("machines/dev/config.toml"))
                .content()
                .contains(
                        "image = \"base\"",
                        "cpus = 3",
                        "memory_mb = 300",
                        "disk_gb = 2",
                        "network = \"user\"",
                        "127.0.0.1:0:80",
                        "A = \"b\"",
                        "team = \"x\"",
                        "autostart = true",
                        "restart_policy = \"on-failure\"",
                        "init = \"/sbin/init\"",
                        "provision = \"provision.sh\"");
        assertThat(cloche.home().resolve("machines/dev/provision.sh")).hasContent("#!/bin/sh");
        assertThat(machine("inspect dev --format json").stdout())
                .contains("\"restartPolicy\" : \"on-failure\"", "\"lastEnd\" : null", "\"init\" : \"/sbin/init\"");

        printed("dev\n", "default dev");
        assertThat(machine("default --format json").stdout()).contains("\"default\" : \"dev\"");
        assertThat(machine("events --format json").stdout()).contains("\"event\" : \"created\"");
        assertThat(machine("wait --state created --format json dev").stdout()).contains("\"state\" : \"created\"");
    }

    @Test
    void aFileMakesTheMachineThatItDescribesOrChangesItToMatch() throws IOException {
        assertThat(machine("apply " + directory.resolve("none.toml")).stderr())
                .isEqualToNormalizingWhitespace(
                        "cloche: There is no file " + directory.resolve("none.toml") + ". Name a TOML file.");
        Path file = Files.writeString(directory.resolve("dev.toml"), "name = \"dev\"\ncpus = 3\n");
        assertThat(machine("apply " + file).stderr()).contains("describes a new machine and names no image");
        Files.writeString(file, "name = \"dev\"\nimage = \"base\"\ncpus = 3\ndisk_gb = 1\n[env]\nA = \"b\"\n");
        printed("dev\n", "apply " + file);
        assertThat(machine("inspect dev --format json").stdout())
                .contains("\"state\" : \"created\"", "\"cpus\" : 3", "\"A\" : \"b\"", "\"memoryMib\" : 2048");
        Path config = cloche.home().resolve("machines/dev/config.toml");
        Files.writeString(config, "# mine\n" + Files.readString(config));

        Files.writeString(file, "name = \"dev\"\nimage = \"base\"\ncpus = 4\n");
        printed("dev\n", "apply " + file);
        assertThat(config).content().startsWith("# mine\n").contains("cpus = 4", "disk_gb = 1", "A = \"b\"");
        Files.writeString(file, "name = \"dev\"\nimage = \"debian\"\n");
        assertThat(machine("apply " + file).stderr()).contains("The image of a machine does not change");
    }

    @Test
    void aMachineIsKeptBroughtBackClonedRenamedAndTakenElsewhere() {
        printed("dev\n", "create -q dev --image base --cpus 1 --memory 256m --disk 1");
        printed("dev\n", "start dev");
        printed("", "exec dev -- sh -c", "echo first >/root/data; echo kept >/dev/shm/memory; sync");
        printed("then\n", "snapshot --memory dev then");
        printed("", "exec dev -- sh -c", "echo second >/root/data");
        printed("two\n", "clone dev two");

        assertThat(machine("restore dev then").stderr()).contains("runs and cannot be restored");
        printed("dev\n", "restart -t 2s dev");
        printed("second\n", "exec dev -- cat /root/data");
        printed("dev\n", "stop -t 2s dev");
        assertThat(machine("inspect dev").stdout()).containsPattern("last end +it was shut down");
        printed("then\n", "restore dev then");
        printed("suspended\n", "wait --state suspended dev");
        printed("dev\n", "resume dev");
        printed("first\nkept\n", "exec dev -- cat /root/data /dev/shm/memory");
        printed("dev\n", "suspend dev");
        assertThat(machine("export dev -o " + directory.resolve("x")).stderr()).contains("is suspended");
        printed("dev\n", "stop dev");

        assertThat(machine("export dev -o " + directory.resolve("none/x")).stderr())
                .contains("There is no directory " + directory.resolve("none") + ".");
        Path file = directory.resolve("dev.tar.zst");
        printed(file + "\n", "export dev -o " + file);
        printed("three\n", "import -q --name three " + file);
        printed("three\n", "default three");
        printed("four\n", "rename three four");
        printed("four\n", "default");
        printed("four\n", "start four");
        printed("first\nfour\n", "exec four -- sh -c", "cat /root/data; hostname");
        printed("two\n", "start two");
        printed("second\ntwo\n", "exec two -- sh -c", "cat /root/data; hostname");
    }

    @Test
    void aSessionStartsAndStopsThoseThatAreToBeAndWhoFollowsHearsOfIt() throws Exception {
        printed("dev\n", "create -q dev --image base --cpus 1 --memory 256m --disk 1 --autostart");
        printed("two\n", "create -q two --image base --cpus 1 --memory 256m --disk 1");
        Process following = cloche.start("machine", "events", "--follow", "--format", "json", "dev");
        try (BufferedReader lines = following.inputReader()) {
            BlockingQueue<String> told = new LinkedBlockingQueue<>();
            Thread reading = Thread.ofVirtual().start(() -> lines.lines().forEach(told::add));
            // Until it listens.
            AtomicInteger count = new AtomicInteger();
            Awaitility.await().until(() -> {
                printed("dev\n", "set dev --label n=" + count.incrementAndGet());
                return !told.isEmpty();
            });
            assertThat(machine("autostart start").exitCode()).isZero();
            assertThat(machine("recover").stdout()).isEqualTo("dev running\ntwo created\n");
            assertThat(machine("recover --format json").stdout())
                    .containsSubsequence("\"name\" : \"dev\"", "\"state\" : \"running\"", "\"state\" : \"created\"");
            assertThat(machine("autostart stop").exitCode()).isZero();
            printed("stopped\n", "wait dev");
            String line = told.take();
            while (!line.contains("\"event\":\"stopped\"")) {
                line = told.take();
            }
            assertThat(line).contains("\"machine\":\"dev\"", "it was shut down");
            following.destroy();
            assertThat(following.waitFor()).isEqualTo(128 + 15);
            reading.join();
        } finally {
            following.destroyForcibly().waitFor();
        }
    }

    private void printed(String stdout, String words, String... last) {
        Program.Result result = machine(words, last);
        assertThat(result.exitCode()).as(words + ": " + result.stderr()).isZero();
        assertThat(result.stdout()).as(words).isEqualTo(stdout);
    }

    /** @param last a word that holds spaces */
    private Program.Result machine(String words, String... last) {
        String plain = "machine " + words;
        List<String> all = new ArrayList<>(List.of(plain.split(" ")));
        all.addAll(List.of(last));
        return cloche.run(all.toArray(String[]::new));
    }
}
