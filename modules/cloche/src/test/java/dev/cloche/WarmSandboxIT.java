package dev.cloche;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cloche.base.ClocheException;
import dev.cloche.base.Deadline;
import dev.cloche.base.InstalledShare;
import dev.cloche.image.PullListener;
import dev.cloche.sandbox.StartKind;
import dev.cloche.sandbox.TemplateMaking;
import dev.cloche.vm.ExecRequest;
import dev.cloche.vm.Guest;
import dev.cloche.vm.GuestExecution;
import dev.cloche.vm.Network;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collections;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What makes a real VM of a pool one caller's sandbox, and is nothing to the next. */
class WarmSandboxIT {
    private static final int MEMORY = 256;

    @TempDir
    Path directory;

    private Cloche cloche;

    @BeforeEach
    void open() {
        Path share = InstalledShare.require();
        cloche = Cloche.open(ClocheOptions.ofEnvironment()
                .withHome(directory.resolve("state"))
                .withShare(share)
                .withTemplateMaking(new TemplateMaking.Never()));
    }

    @AfterEach
    void close() {
        if (cloche != null) {
            cloche.pools()
                    .list()
                    .forEach(pool -> cloche.pools()
                            .pool(pool.image())
                            .memoryMib(pool.memoryMib())
                            .cpus(pool.cpus())
                            .network(pool.network())
                            .remove());
            cloche.close();
        }
    }

    private void fill(Network network) {
        cloche.pools()
                .pool("base")
                .memoryMib(MEMORY)
                .network(network)
                .depth(2)
                .maxAge(Duration.ofHours(1))
                .set();
        assertThat(cloche.pools().fill(PullListener.none())).isEmpty();
    }

    private SandboxBuilder builder(Network network) {
        return cloche.sandbox("base").memoryMib(MEMORY).network(network);
    }

    private static Sandbox warm(SandboxBuilder builder) {
        Sandbox sandbox = builder.start();
        assertThat(sandbox.startTimings().orElseThrow().kind()).isEqualTo(StartKind.WARM);
        return sandbox;
    }

    private static String sh(Sandbox sandbox, String script) {
        return sandbox.exec("sh", "-c", script).stdoutText();
    }

    @Test
    void allThatASandboxCanBeGivenReachesAWarmOneAndNotTheNext() throws IOException {
        fill(Network.NONE);
        Path tree = Files.createDirectories(directory.resolve("tree/below"));
        Files.writeString(tree.resolve("given"), "to this one");
        try (Sandbox sandbox = warm(builder(Network.NONE)
                .name("mine")
                .ephemeral(true)
                .label("team", "search")
                .secret("token", "hunter2"))) {
            sandbox.files().makeDirectories("/given");
            sandbox.files().copyIn(directory.resolve("tree"), "/given/tree");
            sandbox.files().writeString("/given/note", "written");
            assertThat(sh(sandbox, "cat /given/tree/below/given /given/note /run/secrets/token; hostname"))
                    .isEqualTo("to this onewrittenhunter2mine\n");
            ExecResult own = sandbox.command("sh", "-c", "echo $COLOUR; pwd; id -u; cat /given/note")
                    .environment("COLOUR", "blue")
                    .workingDirectory("/given/tree")
                    .user("65534")
                    .run();
            assertThat(own.stdoutText()).isEqualTo("blue\n/given/tree\n65534\nwritten");
            assertThat(cloche.sandboxes().inspect("mine").labels()).isEqualTo(Map.of("team", "search"));
        }
        try (Sandbox next = warm(builder(Network.NONE))) {
            assertThatThrownBy(() -> next.files().readString("/given/note")).isInstanceOf(ClocheException.class);
            assertThat(sh(next, "ls /given /run/secrets 2>/dev/null; echo $COLOUR; hostname"))
                    .isEqualTo("\n" + next.name() + "\n");
            assertThat(cloche.sandboxes().inspect(next.name()).labels()).isEmpty();
        }
    }

    @Test
    void aWarmOneWithANetworkHasItsOwnAddressesAndNameServer() {
        Assumptions.assumeTrue(Files.isExecutable(Path.of("/usr/bin/passt")), "passt is not installed");
        fill(Network.USER);
        try (Sandbox one = warm(builder(Network.USER).nameServer(InetAddress.ofLiteral("198.51.100.7")));
                Sandbox two = warm(builder(Network.USER))) {
            assertThat(sh(one, "cat /etc/resolv.conf")).contains("nameserver 198.51.100.7");
            assertThat(sh(two, "cat /etc/resolv.conf")).doesNotContain("198.51.100.7");
            String first = sh(one, "cat /sys/class/net/eth0/address");
            assertThat(first).startsWith("02:").isNotEqualTo(sh(two, "cat /sys/class/net/eth0/address"));
        }
    }

    @Test
    void aProcessThatStaysKeepsThePoolForItselfAndForOthers() throws Exception {
        try (Cloche staying = staying()) {
            staying.pools()
                    .pool("base")
                    .memoryMib(MEMORY)
                    .depth(2)
                    .maxAge(Duration.ofHours(1))
                    .set();
            awaitReady(2);
            try (ExecutorService many = Executors.newVirtualThreadPerTaskExecutor()) {
                Callable<String> starter = () -> {
                    try (Sandbox sandbox =
                            staying.sandbox("base").memoryMib(MEMORY).start()) {
                        assertThat(sandbox.startTimings().orElseThrow().kind()).isNotEqualTo(StartKind.COLD);
                        assertThat(sh(sandbox, "hostname")).isEqualTo(sandbox.name() + "\n");
                        return sandbox.name();
                    }
                };
                Set<String> names = new HashSet<>();
                for (Future<String> one : many.invokeAll(Collections.nCopies(6, starter))) {
                    assertThat(names.add(one.get())).isTrue();
                }
            }
            awaitReady(2);
            // This one comes and goes, and fills nothing.
            warm(builder(Network.NONE)).close();
            awaitReady(2);
        }
        warm(builder(Network.NONE)).close();
        assertThat(cloche.pools().list().getFirst().ready()).isEqualTo(1);
    }

    @Test
    void whatAWarmUpStartedGoesOnInTheSandboxThatGetsTheVm() {
        // A server that has its answer in its memory alone, and the check reaches it.
        String server = "mkfifo /ask /answer; n=41; (while read -r _ < /ask; do n=$((n+1)); echo $n > /answer; done)"
                + " < /dev/null > /dev/null 2>&1 & echo $! > /server";
        String ask = "echo > /ask; cat /answer";
        AtomicInteger warmedUp = new AtomicInteger();
        try (Cloche staying = staying()) {
            staying.pools()
                    .pool("base")
                    .memoryMib(MEMORY)
                    .depth(1)
                    .maxAge(Duration.ofHours(1))
                    .warmUp(guest -> {
                        warmedUp.incrementAndGet();
                        done(guest, "sh", "-c", server);
                    })
                    .healthCheck("sh", "-c", "[ $(" + ask + ") = 42 ] && hostname > /checked")
                    .healthCheck(guest -> done(guest, "test", "-s", "/checked"))
                    .set();
            awaitReady(1);
            try (Sandbox sandbox =
                    warm(staying.sandbox("base").memoryMib(MEMORY).name("taken").ephemeral(true))) {
                assertThat(sh(sandbox, ask + "; " + ask)).isEqualTo("43\n44\n");
                assertThat(sh(sandbox, "kill -0 $(cat /server); hostname")).isEqualTo("taken\n");
                assertThat(sh(sandbox, "cat /checked")).isNotEqualTo("taken\n");
            }
            awaitReady(1);
            try (Sandbox next = warm(staying.sandbox("base").memoryMib(MEMORY))) {
                assertThat(sh(next, ask)).isEqualTo("43\n");
            }
        }
        assertThat(warmedUp.get()).isGreaterThan(1);
    }

    private static void done(Guest guest, String... words) {
        Deadline deadline = Deadline.after(Duration.ofMinutes(1));
        try (GuestExecution execution = guest.exec(ExecRequest.of(words), deadline)) {
            assertThat(execution.await(deadline).success()).isTrue();
        }
    }

    private Cloche staying() {
        return Cloche.open(ClocheOptions.ofEnvironment()
                .withHome(directory.resolve("state"))
                .withShare(InstalledShare.require())
                .withTemplateMaking(new TemplateMaking.InBackground()));
    }

    private void awaitReady(int depth) {
        Awaitility.await().until(() -> cloche.pools().list().getFirst().ready() == depth);
    }
}
