package dev.cloche;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cloche.base.ClocheException;
import dev.cloche.base.InstalledShare;
import dev.cloche.sandbox.SandboxEvent;
import dev.cloche.sandbox.SandboxStatus;
import dev.cloche.sandbox.TemplateMaking;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Sandboxes that stay, are found again, or take the place of others, in real VMs. */
@Timeout(1200)
class SandboxLifeIT {
    @TempDir
    static Path home;

    static Cloche cloche;

    @BeforeAll
    static void open() {
        Path share = InstalledShare.require();
        cloche = Cloche.open(ClocheOptions.ofEnvironment()
                .withHome(home.resolve("state"))
                .withShare(share)
                .withTemplateMaking(new TemplateMaking.Never()));
    }

    @AfterAll
    static void close() {
        if (cloche != null) {
            cloche.sandboxes().list().forEach(left -> cloche.sandboxes().remove(left.name(), true));
            cloche.close();
        }
    }

    private static SandboxBuilder builder(String name) {
        return cloche.sandbox("base").name(name).memoryMib(256);
    }

    @Test
    void oneThatStaysRunsWithoutAMainCommandUntilItIsStoppedAndAgainAfterThat() {
        SandboxInfo box = builder("stays").detached().stay().start();
        assertThat(box.detached()).isTrue();
        write("stays", "kept");
        assertThat(cloche.sandboxes().list()).anySatisfy(info -> {
            assertThat(info.name()).isEqualTo("stays");
            assertThat(info.status()).isEqualTo(SandboxStatus.RUNNING);
        });
        cloche.sandboxes().stop("stays", Duration.ofSeconds(10));
        cloche.sandboxes().start("stays");
        assertThat(read("stays")).isEqualTo("kept\n");
        cloche.sandboxes().remove("stays", true);
    }

    @Test
    void oneThatStaysHasNoMainCommand() {
        assertThatThrownBy(() ->
                        builder("none").command("sleep", "1").detached().stay().start())
                .isInstanceOf(ClocheException.class)
                .hasMessageContaining("no main command");
        assertThatThrownBy(
                        () -> builder("none").detached().stay().user("nobody").start())
                .isInstanceOf(ClocheException.class);
        assertThat(cloche.sandboxes().list()).noneMatch(info -> info.name().equals("none"));
    }

    @Test
    void connectingStartsOneThatIsMissingOrHasEndedAndFindsOneThatRuns() {
        DetachedCommand box = builder("found").detached().stay();
        try (Sandbox fresh = box.connectOrStart()) {
            fresh.exec("sh", "-c", "echo first > /mark").orThrow();
        }
        try (Sandbox running = box.connectOrStart()) {
            assertThat(running.startTimings()).isEmpty();
            assertThat(running.exec("cat", "/mark").orThrow().stdoutText()).isEqualTo("first\n");
        }
        cloche.sandboxes().kill("found");
        long id;
        try (Sandbox again = box.connectOrStart()) {
            id = again.id();
            assertThat(again.status()).isEqualTo(SandboxStatus.RUNNING);
        }
        assertThat(cloche.sandboxes().inspect("found").runs()).hasSize(2);
        cloche.sandboxes().pause("found");
        assertThatThrownBy(box::connectOrStart).isInstanceOf(ClocheException.class);
        assertThat(cloche.sandboxes().inspect("found").info().id()).isEqualTo(id);
        cloche.sandboxes().remove("found", true);
        assertThatThrownBy(() -> cloche.sandbox("base").detached().stay().connectOrStart())
                .isInstanceOf(ClocheException.class)
                .hasMessageContaining("without a name");
    }

    @Test
    void callersThatConnectAtOnceGetOneSandbox() throws Exception {
        List<Future<Long>> ids = new ArrayList<>();
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            for (int i = 0; i < 4; i++) {
                ids.add(threads.submit(() -> {
                    try (Sandbox box = builder("shared").detached().stay().connectOrStart()) {
                        box.exec("true").orThrow();
                        return box.id();
                    }
                }));
            }
        }
        assertThat(ids).extracting(Future::get).containsOnly(ids.getFirst().get());
        cloche.sandboxes().remove("shared", true);
    }

    @Test
    void aNameIsTakenFromOneThatHasEndedOnly() {
        Sandbox before = builder("taken").start();
        try (before) {
            before.exec("sh", "-c", "echo old > /mark").orThrow();
            assertThatThrownBy(() -> builder("taken").replace(true).start())
                    .isInstanceOfSatisfying(
                            ClocheException.class,
                            error -> assertThat(error.code()).isEqualTo("sandbox.name-in-use"));
        }
        assertThatThrownBy(() -> builder("taken").start()).isInstanceOf(ClocheException.class);
        try (Sandbox after = builder("taken").replace(true).start()) {
            assertThat(after.id()).isNotEqualTo(before.id());
            assertThat(after.exec("test", "-e", "/mark").exitCode()).isEqualTo(1);
        }
        assertThat(builder("taken").replace(true).detached().stay().create().status())
                .isEqualTo(SandboxStatus.CREATED);
        cloche.sandboxes().remove("taken", false);
    }

    @Test
    void theLifeOfASandboxIsLoggedByNamesAlone() {
        Logger logger = Logger.getLogger(SandboxEvent.class.getName());
        ConcurrentLinkedQueue<String> lines = new ConcurrentLinkedQueue<>();
        Handler handler = new Handler() {
            @Override
            public void publish(LogRecord line) {
                lines.add(line.getLevel() + " " + line.getMessage());
            }

            @Override
            public void flush() {}

            @Override
            public void close() {}
        };
        handler.setLevel(Level.ALL);
        logger.addHandler(handler);
        logger.setLevel(Level.FINE);
        try {
            Sandbox told = builder("told").environment("KEY", "private").start();
            told.close();
            String prefix = "FINE sandbox told (" + told.id() + "): ";
            assertThat(lines)
                    .containsSubsequence(prefix + "starting", prefix + "running", prefix + "stopped, completed")
                    .noneMatch(line -> line.contains("private"));
        } finally {
            logger.removeHandler(handler);
            logger.setLevel(null);
            cloche.sandboxes().remove("told", true);
        }
    }

    private static void write(String name, String text) {
        try (Sandbox box = cloche.connect(name)) {
            box.exec("sh", "-c", "echo " + text + " > /mark").orThrow();
        }
    }

    private static String read(String name) {
        try (Sandbox box = cloche.connect(name)) {
            return box.exec("cat", "/mark").orThrow().stdoutText();
        }
    }
}
