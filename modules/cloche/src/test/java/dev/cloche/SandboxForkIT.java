package dev.cloche;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cloche.base.ChildJvm;
import dev.cloche.base.ClocheException;
import dev.cloche.base.InstalledShare;
import dev.cloche.sandbox.ForkOutcome;
import dev.cloche.sandbox.SandboxSnapshot;
import dev.cloche.sandbox.StartKind;
import dev.cloche.sandbox.TemplateMaking;
import dev.cloche.vm.ExecutionInfo;
import dev.cloche.vm.Network;
import java.io.IOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Snapshots and forks of sandboxes in real VMs. */
class SandboxForkIT {
    @TempDir
    Path home;

    private Path share;
    private Cloche cloche;

    @BeforeEach
    void open() {
        share = InstalledShare.require();
        cloche = Cloche.open(ClocheOptions.ofEnvironment()
                .withHome(home.resolve("state"))
                .withShare(share)
                .withTemplateMaking(new TemplateMaking.Never()));
    }

    @AfterEach
    void close() throws IOException {
        if (cloche != null) {
            cloche.maintain();
            assertThat(cloche.sandboxes().list()).isEmpty();
            cloche.close();
            for (String directory : List.of("vms", "snapshots", "sandboxes", "sandbox-snapshots")) {
                assertThat(entries(directory)).as(directory).isEmpty();
            }
        }
    }

    private List<Path> entries(String directory) throws IOException {
        Path files = home.resolve("state").resolve(directory);
        if (Files.notExists(files)) {
            return List.of();
        }
        try (Stream<Path> entries = Files.list(files)) {
            return entries.toList();
        }
    }

    private static String sh(Sandbox sandbox, String script) {
        return sandbox.exec("sh", "-c", script).stdoutText().strip();
    }

    private SandboxBuilder small() {
        return cloche.sandbox("base").memoryMib(256);
    }

    @Test
    void childrenAreUniqueAndTheirWritesTheirOwn() {
        try (Sandbox parent = small().start()) {
            try (Execution sleeping = parent.command("sleep", "1000").start()) {
                sh(parent, "echo before > /tmp/file; echo root > /root-file");
                try (Fork fork = parent.fork(4)) {
                    assertThat(fork.pause()).isPositive();
                    List<Sandbox> family = new ArrayList<>(fork.children());
                    family.add(parent);
                    for (String once : List.of(
                            "hostname",
                            "cat /etc/machine-id",
                            "cat /proc/sys/kernel/random/uuid",
                            "head -c 16 /dev/urandom | od -An -tx1")) {
                        Set<String> seen = new HashSet<>();
                        family.forEach(each -> seen.add(sh(each, once)));
                        assertThat(seen).as(once).hasSize(family.size());
                    }
                    for (Sandbox child : fork.children()) {
                        assertThat(sh(child, "hostname")).isEqualTo(child.name());
                        assertThat(child.startTimings().orElseThrow().kind()).isEqualTo(StartKind.RESTORED);
                        assertThat(sh(child, "cat /tmp/file /root-file")).isEqualTo("before\nroot");
                        assertThat(sh(child, "pidof sleep || echo none")).isEqualTo("none");
                        assertThat(child.executions()).isEmpty();
                        Instant asked = Instant.now();
                        assertThat(Instant.ofEpochSecond(Long.parseLong(sh(child, "date +%s"))))
                                .isBetween(asked.minusSeconds(2), Instant.now().plusSeconds(2));
                        sh(child, "echo " + child.name() + " > /tmp/file; rm /root-file");
                    }
                    for (Sandbox child : fork.children()) {
                        assertThat(sh(child, "cat /tmp/file; ls /root-file 2>/dev/null"))
                                .isEqualTo(child.name());
                    }
                    assertThat(sh(parent, "cat /tmp/file /root-file; pidof sleep > /dev/null && echo asleep"))
                            .isEqualTo("before\nroot\nasleep");
                    // A fork of what was restored.
                    try (Fork again = fork.children().getFirst().fork(1)) {
                        Sandbox grandchild = again.children().getFirst();
                        assertThat(sh(grandchild, "cat /tmp/file"))
                                .isEqualTo(fork.children().getFirst().name());
                        assertThat(sh(grandchild, "hostname")).isEqualTo(grandchild.name());
                    }
                }
                assertThat(parent.executions()).extracting(ExecutionInfo::id).contains(sleeping.id());
            }
        }
    }

    @Test
    void eachChildThatComesUpIsGivenOutAndOfEachOtherIsSaidWhy() {
        try (Sandbox parent = small().start();
                Sandbox taken = small().name("each-2").ephemeral(true).start()) {
            sh(parent, "echo before > /tmp/file");
            List<ForkOutcome<Sandbox>> outcomes =
                    parent.forking().name("each").ephemeral(true).startEach(3).children();
            try (Sandbox first = outcomes.getFirst().started().orElseThrow();
                    Sandbox last = outcomes.getLast().started().orElseThrow()) {
                assertThat(sh(first, "cat /tmp/file; hostname")).isEqualTo("before\neach-1");
                assertThat(sh(last, "cat /tmp/file; hostname")).isEqualTo("before\neach-3");
                assertThat(outcomes.get(1).failed().orElseThrow())
                        .returns("sandbox.name-in-use", ForkOutcome.Failed::code)
                        .extracting(ForkOutcome.Failed::sentence)
                        .asString()
                        .contains("each-2");
            }
            assertThat(sh(taken, "hostname")).isEqualTo("each-2");
        }
    }

    @Test
    void whatRunsInTheParentRunsOnInAChildThatIsToKeepIt() {
        try (Sandbox parent = small().start();
                Execution _ = parent.command("sleep", "1000").start();
                Fork fork = parent.forking().keepRunning(true).start(1)) {
            assertThat(sh(fork.children().getFirst(), "pidof sleep > /dev/null && echo asleep"))
                    .isEqualTo("asleep");
        }
    }

    @Test
    void childrenHaveNetworksOfTheirOwnAndNoPortsOfTheParents() {
        Assumptions.assumeTrue(Files.isExecutable(Path.of("/usr/bin/passt")), "passt is not installed");
        try (Sandbox parent =
                        small().network(Network.USER).publish("127.0.0.1::80").start();
                Fork fork = parent.fork(2)) {
            assertThat(parent.ports().list()).hasSize(1);
            List<Sandbox> family = new ArrayList<>(fork.children());
            family.add(parent);
            Set<String> addresses = new HashSet<>();
            for (Sandbox each : family) {
                addresses.add(sh(each, "cat /sys/class/net/eth0/address"));
                assertThat(sh(each, "ip addr show eth0")).contains("10.203.0.15/24", "UP");
            }
            assertThat(addresses).hasSize(3);
            fork.children().forEach(child -> assertThat(child.ports().list()).isEmpty());
            parent.snapshot("networked");
            try (Sandbox restored =
                    cloche.restore("networked").publish("127.0.0.1::80").start()) {
                assertThat(restored.ports().list())
                        .hasSize(1)
                        .doesNotContainAnyElementsOf(parent.ports().list());
            }
            cloche.snapshots().remove("networked");
        }
    }

    @Test
    void aSnapshotOutlivesItsSandboxAndItsDisk() throws IOException {
        try (Sandbox parent =
                small().name("parent").diskMib(256).command("sleep", "1000").start()) {
            sh(parent, "echo disk > /kept; sync; echo memory > /tmp/kept");
            assertThat(parent.snapshot("both").contents()).isEqualTo(SandboxSnapshot.Contents.MEMORY);
            sh(parent, "echo later > /kept");
            assertThatThrownBy(() -> parent.snapshot("both"))
                    .isInstanceOf(ClocheException.class)
                    .extracting(e -> ((ClocheException) e).code())
                    .isEqualTo("sandbox.snapshot-exists");
        }
        assertThat(cloche.snapshots().create("parent", "disk").contents()).isEqualTo(SandboxSnapshot.Contents.DISK);
        cloche.sandboxes().remove("parent", false);
        try (Sandbox both = cloche.restore("both").name("both").start()) {
            assertThat(sh(both, "cat /kept /tmp/kept")).isEqualTo("disk\nmemory");
            sh(both, "echo changed > /kept");
        }
        try (Sandbox second = cloche.restore("both").publish(80).start();
                Sandbox disk = cloche.restore("disk").start()) {
            assertThat(sh(second, "cat /kept; ls /sys/class/net")).isEqualTo("disk\nlo");
            try (Execution server = second.command("nc", "-ll", "-p", "80", "-e", "hostname")
                            .start();
                    Socket client = new Socket()) {
                second.await(Ready.port(80), Duration.ofMinutes(2));
                client.connect(second.ports().list().getFirst().address());
                assertThat(new String(client.getInputStream().readAllBytes(), StandardCharsets.UTF_8))
                        .isEqualTo(sh(second, "hostname") + "\n");
                assertThat(server.ended()).isFalse();
            }
            assertThat(sh(disk, "cat /kept")).isEqualTo("later");
        }
        cloche.snapshots().remove("both");
        cloche.snapshots().remove("disk");
        cloche.sandboxes().start("both");
        try (Sandbox again = cloche.connect("both")) {
            assertThat(sh(again, "cat /kept")).isEqualTo("changed");
        }
        cloche.sandboxes().remove("both", true);
    }

    @Test
    void whatAKilledProcessLeavesOfASnapshotOrAForkIsSwept() throws Exception {
        cloche.sandbox("base")
                .name("parent")
                .ephemeral(true)
                .memoryMib(256)
                .command("sleep", "1000")
                .detached()
                .start();
        killWhen("snapshot", () -> !list("sandbox-snapshots").isEmpty());
        killWhen(
                "snapshot",
                () -> list("snapshots").stream()
                        .anyMatch(entry -> entry.getFileName().toString().startsWith(".tmp-")));
        killWhen("fork", () -> list("vms").size() > 1);
        Awaitility.await().untilAsserted(() -> {
            cloche.maintain();
            assertThat(cloche.sandboxes().list()).extracting(SandboxInfo::name).containsExactly("parent");
        });
        cloche.sandboxes().remove("parent", true);
    }

    private List<Path> list(String directory) {
        try {
            return entries(directory);
        } catch (IOException renamedMeanwhile) {
            return List.of();
        }
    }

    /** Kills a process that takes snapshots, or forks, when something can be seen of it; the parent then goes on. */
    private void killWhen(String what, BooleanSupplier seen) throws Exception {
        Process other = new ProcessBuilder(ChildJvm.command(
                        ForkingProcess.class, home.resolve("state").toString(), share.toString(), what))
                .redirectInput(ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile()))
                .redirectOutput(home.resolve("other.log").toFile())
                .redirectErrorStream(true)
                .start();
        try {
            Awaitility.await().pollInterval(Duration.ofMillis(1)).until(() -> seen.getAsBoolean() || !other.isAlive());
            assertThat(other.isAlive())
                    .as(() -> read(home.resolve("other.log")))
                    .isTrue();
        } finally {
            other.destroyForcibly().waitFor();
        }
        Awaitility.await().untilAsserted(() -> {
            cloche.maintain();
            assertThat(cloche.snapshots().list()).isEmpty();
            // One whose row was not there yet may belong to a process for as long as an owner's grace lasts.
            assertThat(entries("sandbox-snapshots")).isEmpty();
            assertThat(entries("snapshots")).isEmpty();
        });
        try (Sandbox parent = cloche.connect("parent")) {
            assertThat(sh(parent, "pidof sleep > /dev/null && echo goes on")).isEqualTo("goes on");
        }
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            return "";
        }
    }
}
