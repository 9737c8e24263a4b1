package dev.cloche;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import dev.cloche.base.ClocheException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
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
            if (Files.isDirectory(path)) {
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
        // The script that it has does nothing, another one runs once.
        Path wanted = Files.writeString(home.resolve("ops.toml"), "name = \"ops\"\nprovision = \"setup.sh\"\n");
        machines.apply(wanted, PullProgress.silent());
        assertThat(machines.get("ops").provisionedAt()).isPresent();
        Files.writeString(script, "#!/bin/sh\necho more >>/root/provisioned\n");
        machines.apply(wanted, PullProgress.silent());
        assertThat(machines.get("ops").provisionedAt()).isEmpty();

        try (Machine machine = machines.start("ops")) {
            assertThat(machine.files().readString("/root/data")).isEqualTo("kept");
            assertThat(machine.files().readString("/root/provisioned")).isEqualTo("once\nmore\n");
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
            beginCounter(machine);
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
            assertThat(two.exec("test", "-e", "/dev/shm/c/n").exitCode()).isNotZero();
        }

        // A stop gives the memory of a suspended one up.
        machines.suspend("one");
        machines.stop("one", GRACE);
        assertThat(machines.get("one").state()).isEqualTo("stopped");
        try (Machine one = machines.start("one")) {
            assertThat(one.exec("test", "-e", "/dev/shm/c/n").exitCode()).isNotZero();
            assertThat(one.files().readString("/root/data")).isEqualTo("kept");
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
        assertThat(machines.snapshots("one"))
                .extracting(MachineSnapshot::name, MachineSnapshot::memory)
                .containsExactly(tuple("disk", false), tuple("with-memory", true));
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

    /** Whoever started it may be killed: it runs on, and what has ended is written down, or started again. */
    @Test
    void aMachineOutlivesItsStarterAndIsRestartedByItsPolicyWhenItsVmIsKilled() throws Exception {
        Process starter = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin/java").toString(),
                        "--enable-native-access=ALL-UNNAMED",
                        "-Dcloche.root=" + System.getProperty("cloche.root", "../.."),
                        "-cp",
                        System.getProperty("java.class.path"),
                        MachineProcess.class.getName(),
                        home.resolve("state").toString(),
                        "dev")
                .redirectError(home.resolve("starter.log").toFile())
                .start();
        try {
            assertThat(starter.inputReader().readLine())
                    .as(Files.readString(home.resolve("starter.log")))
                    .isEqualTo("ready");
        } finally {
            starter.destroyForcibly().waitFor();
        }
        assertThat(machines.recover().machines()).extracting(MachineInfo::state).containsExactly("running");
        assertThat(machines.events()).extracting(MachineEvent::event).contains("adopted");
        try (Machine machine = machines.connect("dev")) {
            long now = counter(machine);
            Awaitility.await().atMost(Duration.ofSeconds(30)).until(() -> counter(machine) > now);
            machine.files().writeString("/root/data", "kept");
            assertThat(machine.exec("sync").exitCode()).isZero();
        }

        killVm();
        MachineInfo ended = machines.get("dev");
        assertThat(ended.state()).isEqualTo("failed");
        assertThat(ended.lastError()).isPresent();
        assertThat(ended.directory().resolve("config.toml")).content().contains("state = \"stopped\"");

        var _ = machines.change("dev", new MachineChange().restart("on-failure"));
        machines.start("dev").close();
        killVm();
        assertThat(machines.get("dev").needsRecovery()).isTrue();
        assertThat(machines.recover().machines()).extracting(MachineInfo::state).containsExactly("running");
        try (Machine machine = machines.connect("dev")) {
            assertThat(machine.files().readString("/root/data")).isEqualTo("kept");
        }
        assertThat(machines.events()).extracting(MachineEvent::event).contains("restarting");

        // A process that stays does it at once.
        cloche.adopt();
        killGuards();
        Awaitility.await()
                .atMost(Duration.ofSeconds(60))
                .until(() -> restarts() == 2 && machines.get("dev").state().equals("running"));
        machines.stop("dev", GRACE);
        assertThat(restarts()).isEqualTo(2);
        assertThat(machines.get("dev").state()).isEqualTo("stopped");
    }

    private long restarts() {
        return machines.events().stream()
                .filter(event -> event.event().equals("restarting"))
                .count();
    }

    @Test
    void anExportMadeAMachineAgainOnAnotherStateRootHasTheSameFiles() throws Exception {
        machines.create("one", "base")
                .memory(256)
                .cpus(1)
                .disk(1)
                .label("a", "b")
                .make();
        String sums = "cd /root && head -c 3000000 /dev/urandom >noise && ln -s noise link && sha256sum noise link";
        String before;
        try (Machine machine = machines.start("one")) {
            before = machine.exec("sh", "-c", sums).stdoutText();
            // A layer above the bottom of the disk.
            machines.snapshot("one", "before", false);
            machine.files().writeString("/root/later", "too");
        }
        Path archive = home.resolve("one.tar.zst");
        assertThatThrownBy(() -> machines.export("one", archive)).hasMessageContaining("runs");
        machines.stop("one", GRACE);
        machines.export("one", archive);
        assertThatThrownBy(() -> machines.export("one", archive)).hasMessageContaining("already");

        byte[] damaged = Files.readAllBytes(archive);
        damaged[damaged.length / 2] ^= 1;
        Path broken = Files.write(home.resolve("broken.tar.zst"), damaged);
        try (Cloche other = opened(home.resolve("other"))) {
            Machines there = other.machines();
            assertThatThrownBy(() -> there.importFrom(broken, Optional.empty(), PullProgress.silent()))
                    .isInstanceOfSatisfying(
                            ClocheException.class, bad -> assertThat(bad.code()).isEqualTo("machine.archive"));
            try (Stream<Path> left = Files.list(home.resolve("other/machines"))) {
                assertThat(left).noneMatch(path -> path.getFileName().toString().startsWith(".making"));
            }
            MachineInfo imported = there.importFrom(archive, Optional.of("two"), PullProgress.silent());
            assertThat(imported.labels()).containsEntry("a", "b");
            try (Machine machine = there.start("two")) {
                assertThat(machine.exec("sh", "-c", "cd /root && sha256sum noise link")
                                .stdoutText())
                        .isEqualTo(before);
                assertThat(machine.files().readString("/root/later")).isEqualTo("too");
            }
            there.remove("two", true);
        }
    }

    /** The guard, and by the kernel its QEMU: as a crash of the host, but for the host. */
    private void killVm() throws IOException {
        killGuards();
        Awaitility.await()
                .atMost(Duration.ofSeconds(30))
                .until(() -> !machines.get("dev").state().equals("running"));
    }

    private void killGuards() throws IOException {
        try (Stream<Path> vms = Files.list(home.resolve("state/vms"))) {
            for (Path vm : vms.toList()) {
                String guard = Files.readString(vm.resolve("guard.json"));
                long pid = Long.parseLong(guard.replaceAll("(?s).*\"pid\"\\s*:\\s*(\\d+).*", "$1"));
                ProcessHandle process = ProcessHandle.of(pid).orElseThrow();
                process.destroyForcibly();
                process.onExit().join();
            }
        }
    }

    /** Counts in a file system that is gone with the memory, and never begins anew. */
    static void beginCounter(Machine machine) {
        String count = "mkdir -p /dev/shm/c; (i=0; while :; do i=$((i+1)); echo $i >/dev/shm/c/next;"
                + " mv /dev/shm/c/next /dev/shm/c/n; sleep 0.05; done) >/dev/null 2>&1 </dev/null &";
        assertThat(machine.exec("sh", "-c", count).exitCode()).isZero();
    }

    private static long counter(Machine machine) {
        String text = machine.exec("cat", "/dev/shm/c/n").stdoutText().strip();
        return text.isEmpty() ? 0 : Long.parseLong(text);
    }

    private static long blocks(Machine machine) {
        return Long.parseLong(machine.exec("sh", "-c", "df -k / | tail -n1 | awk '{print $2}'")
                .stdoutText()
                .strip());
    }
}
