package dev.cloche;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cloche.base.ClocheException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Named machines in real VMs, as users of the library have them. */
class MachineIT {
    private static final Duration GRACE = Duration.ofSeconds(5);

    @TempDir
    Path home;

    private Cloche cloche;
    private Machines machines;

    @BeforeEach
    void open() {
        cloche = opened(home.resolve("state"));
        machines = cloche.machines();
    }

    static Cloche opened(Path state) {
        Path share = Path.of(System.getProperty("cloche.root", "../.."), "dist", "share");
        Assumptions.assumeTrue(Files.isDirectory(share), "nothing is installed: run ./setup first");
        return Cloche.open(ClocheOptions.ofEnvironment().withHome(state).withShare(share));
    }

    @AfterEach
    void nothingIsLeft() throws IOException {
        if (cloche == null) {
            return;
        }
        machines.list().machines().forEach(machine -> machines.remove(machine.name(), true));
        cloche.close();
        for (String directory : List.of("vms", "snapshots", "machines/.locks")) {
            Path path = home.resolve("state").resolve(directory);
            if (Files.isDirectory(path) && !directory.startsWith("machines")) {
                try (Stream<Path> left = Files.list(path)) {
                    assertThat(left).as(directory).isEmpty();
                }
            }
        }
    }

    @Test
    void whatIsWrittenIsThereAtTheNextStartAndTheScriptRunsOnce() throws IOException {
        Path script = Files.writeString(home.resolve("setup.sh"), "#!/bin/sh\necho once >>/root/provisioned\n");
        MachineInfo made = machines.create("dev", "base")
                .memory(256)
                .cpus(1)
                .disk(1)
                .environment("GREETING", "hello")
                .label("team", "x")
                .provision(script)
                .make();
        assertThat(made.state()).isEqualTo("created");
        assertThat(made.directory().resolve("config.toml")).content().contains("image = \"base\"");

        String id;
        try (Machine machine = machines.start("dev")) {
            assertThat(machine.exec("sh", "-c", "echo $GREETING; hostname").stdoutText())
                    .isEqualTo("hello\ndev\n");
            machine.files().writeString("/root/data", "kept");
            assertThat(machine.exec("sync").exitCode()).isZero();
            id = machine.files().readString("/etc/machine-id");
        }
        // Another handle, as another process has it.
        try (Machine machine = machines.connect("dev")) {
            assertThat(machine.files().readString("/root/provisioned")).isEqualTo("once\n");
        }
        assertThat(machines.get("dev").state()).isEqualTo("running");
        assertThat(machines.get("dev").provisionedAt()).isPresent();
        assertThatThrownBy(() -> machines.remove("dev", false)).hasMessageContaining("runs");
        assertThatThrownBy(() -> machines.rename("dev", "ops")).hasMessageContaining("runs");

        machines.stop("dev", GRACE);
        assertThat(machines.get("dev").state()).isEqualTo("stopped");
        assertThatThrownBy(() -> machines.connect("dev"))
                .isInstanceOfSatisfying(
                        ClocheException.class,
                        stopped -> assertThat(stopped.code()).isEqualTo("machine.state"));
        machines.rename("dev", "ops");

        try (Machine machine = machines.start("ops")) {
            assertThat(machine.files().readString("/root/data")).isEqualTo("kept");
            assertThat(machine.files().readString("/root/provisioned")).isEqualTo("once\n");
            assertThat(machine.files().readString("/etc/machine-id")).isEqualTo(id);
        }
        machines.stop("ops", Duration.ZERO);
        assertThat(machines.events())
                .extracting(MachineEvent::event)
                .containsSubsequence("created", "starting", "provisioning", "started", "stopped", "renamed", "started");
    }

    @Test
    void aSuspendedMachineGoesOnWhereItWasAndARunningOneIsClonedAndGrown() {
        machines.create("one", "base").memory(256).cpus(1).disk(1).make();
        try (Machine machine = machines.start("one")) {
            // Counts in a file system that is gone with the memory, and never begins anew.
            assertThat(machine.exec(
                                    "sh",
                                    "-c",
                                    "mkdir -p /run/c; (i=0; while :; do i=$((i+1)); echo $i >/run/c/n; sleep 0.05; done)"
                                            + " >/dev/null 2>&1 &")
                            .exitCode())
                    .isZero();
            Awaitility.await().atMost(Duration.ofSeconds(30)).until(() -> counter(machine) > 5);
            machine.files().writeString("/root/data", "kept");
            long before = blocks(machine);
            assertThat(machines.change("one", new MachineChange().disk(2)).atNextStart())
                    .isFalse();
            assertThat(blocks(machine)).isGreaterThan(before + before / 2);
        }
        machines.copy("one", "two", false);
        long reached;
        try (Machine machine = machines.connect("one")) {
            reached = counter(machine);
        }
        machines.suspend("one");
        assertThat(machines.get("one").state()).isEqualTo("suspended");

        try (Machine two = machines.start("two");
                Machine one = machines.start("one")) {
            assertThat(counter(one)).isGreaterThanOrEqualTo(reached);
            long now = counter(one);
            Awaitility.await().atMost(Duration.ofSeconds(30)).until(() -> counter(one) > now);
            assertThat(two.files().readString("/root/data")).isEqualTo("kept");
            assertThat(two.exec("hostname").stdoutText()).isEqualTo("two\n");
            assertThat(two.files().readString("/etc/machine-id"))
                    .isNotEqualTo(one.files().readString("/etc/machine-id"));
            assertThat(two.exec("test", "-e", "/run/c/n").exitCode()).isNotZero();
        }
    }

    @Test
    void aSnapshotBringsBackWhatWasThereWithItsMemoryIfThatWasKept() {
        machines.create("one", "base").memory(256).cpus(1).disk(1).make();
        try (Machine machine = machines.start("one")) {
            machine.files().writeString("/root/data", "first");
            machine.files().writeString("/dev/shm/memory", "kept");
            machines.snapshot("one", "with-memory", true);
            machine.files().writeString("/root/data", "second");
            machines.snapshot("one", "disk", false);
            machine.files().writeString("/root/data", "third");
        }
        assertThat(machines.snapshots("one")).containsExactly("disk", "with-memory");
        assertThatThrownBy(() -> machines.restore("one", "disk")).hasMessageContaining("runs");
        machines.stop("one", GRACE);
        machines.restore("one", "disk");
        try (Machine machine = machines.start("one")) {
            assertThat(machine.files().readString("/root/data")).isEqualTo("second");
        }
        machines.stop("one", Duration.ZERO);
        machines.restore("one", "with-memory");
        assertThat(machines.get("one").state()).isEqualTo("suspended");
        try (Machine machine = machines.start("one")) {
            assertThat(machine.files().readString("/root/data")).isEqualTo("first");
            assertThat(machine.files().readString("/dev/shm/memory")).isEqualTo("kept");
        }
        machines.stop("one", Duration.ZERO);
        assertThat(machines.deleteSnapshot("one", "with-memory")).isTrue();
        assertThat(machines.deleteSnapshot("one", "with-memory")).isFalse();
    }

    private static long counter(Machine machine) {
        String text = machine.exec("cat", "/run/c/n").stdoutText().strip();
        return text.isEmpty() ? 0 : Long.parseLong(text);
    }

    private static long blocks(Machine machine) {
        return Long.parseLong(machine.exec("sh", "-c", "df -k / | tail -n1 | awk '{print $2}'")
                .stdoutText()
                .strip());
    }
}
