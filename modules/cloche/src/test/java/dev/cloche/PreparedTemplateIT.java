package dev.cloche;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cloche.base.InstalledShare;
import dev.cloche.image.PullListener;
import dev.cloche.sandbox.SandboxException;
import dev.cloche.sandbox.StartKind;
import dev.cloche.sandbox.TemplateMaking;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Templates that a caller prepares, in real VMs. */
class PreparedTemplateIT {
    private static final int PORT = 8080;

    @TempDir
    Path home;

    private Cloche cloche;

    @BeforeEach
    void open() {
        cloche = Cloche.open(ClocheOptions.ofEnvironment()
                .withHome(home.resolve("state"))
                .withShare(InstalledShare.require())
                .withTemplateMaking(new TemplateMaking.Never()));
    }

    @AfterEach
    void nothingIsLeft() throws IOException {
        if (cloche == null) {
            return;
        }
        cloche.templates().prepared().forEach(template -> cloche.snapshots().remove(template.name()));
        cloche.maintain();
        assertThat(cloche.sandboxes().list()).isEmpty();
        cloche.close();
        for (String directory : List.of("vms", "snapshots", "sandboxes", "sandbox-snapshots")) {
            Path files = home.resolve("state").resolve(directory);
            if (Files.exists(files)) {
                try (Stream<Path> entries = Files.list(files)) {
                    assertThat(entries).as(directory).isEmpty();
                }
            }
        }
    }

    /** Makes a page whose answer takes as long as first ones do. */
    private static final String SLOW_PAGE = """
            mkdir /www/cgi-bin
            printf '#!/bin/sh\\nsleep 2\\nprintf "Content-Type: text/plain\\\\r\\\\n\\\\r\\\\nslow"\\n' >/www/cgi-bin/slow
            chmod 755 /www/cgi-bin/slow
            """;

    private Templates.Preparation web() {
        return cloche.templates()
                .prepare("web", "base")
                .memoryMib(256)
                .environment("WORD", "well")
                .run("sh", "-c", "mkdir /www && echo $WORD > /www/word")
                .start("httpd", "-f", "-p", Integer.toString(PORT), "-h", "/www")
                .ready(Ready.port(PORT))
                .ready(Ready.http(PORT, "/word"))
                .onClone("sh", "-c", "head -c 16 /dev/urandom | md5sum > /seed");
    }

    private static String sh(Sandbox sandbox, String script) {
        return sandbox.exec("sh", "-c", script).orThrow().stdoutText().strip();
    }

    private static String pid(Sandbox sandbox) {
        return sh(sandbox, "pidof httpd");
    }

    @Test
    void whatWasStartedRunsOnInEveryCloneAndEachHasASeedOfItsOwn() {
        SnapshotInfo made = web().make();
        assertThat(made.prepared()).isTrue();
        assertThat(cloche.templates().prepared()).containsExactly(made);
        assertThat(cloche.snapshots().list()).isEmpty();
        assertThat(cloche.sandboxes().list()).as("its maker").isEmpty();

        Set<String> seeds = new HashSet<>();
        try (Sandbox first = cloche.restore("web").start();
                Sandbox second = cloche.restore("web").start()) {
            for (Sandbox clone : List.of(first, second)) {
                clone.await(Ready.http(PORT, "/word"), Duration.ofMinutes(1));
                assertThat(sh(clone, "wget -q -O - http://127.0.0.1:" + PORT + "/word; echo $WORD"))
                        .isEqualTo("well\nwell");
                seeds.add(sh(clone, "cat /seed"));
            }
            assertThat(pid(first)).as("the same process, twice").isEqualTo(pid(second));
            assertThat(seeds).hasSize(2);

            // A newer one takes its place, and clones of the old one go on.
            SnapshotInfo newer = web().run("sh", "-c", "echo newer > /www/word")
                    .run("sh", "-c", SLOW_PAGE)
                    .ready(Ready.http(PORT, "/cgi-bin/slow"))
                    .make();
            assertThat(newer.createdAt()).isAfterOrEqualTo(made.createdAt());
            assertThat(sh(first, "cat /www/word")).isEqualTo("well");
            try (Sandbox third = cloche.restore("web").start()) {
                assertThat(sh(third, "cat /www/word")).isEqualTo("newer");
            }
        }
        SandboxInfo detached =
                cloche.restore("web").name("served").ephemeral(true).startDetached();
        try (Sandbox clone = cloche.connect(detached.name())) {
            assertThat(sh(clone, "cat /seed")).isNotEmpty().isNotIn(seeds);
            assertThat(pid(clone)).isNotEmpty();
        }
        cloche.sandboxes().remove("served", true);
    }

    @Test
    void aPoolOfATemplateHandsOutWhatRunsInEachOfItsVms() {
        var _ = web().make();
        assertThatThrownBy(() -> cloche.pools().template("none").set()).isInstanceOf(SandboxException.NoTemplate.class);
        assertThatThrownBy(() -> cloche.pools().template("web").memoryMib(512))
                .isInstanceOf(SandboxException.InvalidSpecification.class);
        PoolInfo set = cloche.pools().template("web").depth(2).set();
        assertThat(set.template()).contains("web");
        assertThat(set.memoryMib()).isEqualTo(256);
        Set<String> seeds = new HashSet<>();
        Set<String> ids = new HashSet<>();
        for (int i = 0; i < 3; i++) {
            assertThat(cloche.pools().fill(PullListener.none())).isEmpty();
            try (Sandbox clone = cloche.restore("web")
                    .name("clone-" + i)
                    .ephemeral(true)
                    .secret("TOKEN", "secret " + i)
                    .start()) {
                assertThat(clone.startTimings().orElseThrow().kind()).isEqualTo(StartKind.WARM);
                assertThat(sh(
                                clone,
                                "wget -q -O - http://127.0.0.1:" + PORT + "/word; cat /run/secrets/TOKEN; hostname"))
                        .isEqualTo("well\nsecret " + i + "clone-" + i);
                seeds.add(sh(clone, "cat /seed"));
                ids.add(sh(clone, "cat /etc/machine-id /proc/sys/kernel/random/boot_id"));
            }
        }
        assertThat(seeds).hasSize(3);
        assertThat(ids).hasSize(3);
        // One that is to have less than what runs in them is none of them.
        try (Sandbox clone = cloche.restore("web").keepRunning(false).start()) {
            assertThat(clone.startTimings().orElseThrow().kind()).isEqualTo(StartKind.RESTORED);
        }

        // A newer template of the name is what the pool has from then on.
        var _ = web().run("sh", "-c", "echo newer > /www/word").make();
        try (Sandbox clone = cloche.restore("web").start()) {
            assertThat(sh(clone, "cat /www/word")).isEqualTo("newer");
        }
        cloche.pools().template("web").remove();
        assertThat(cloche.pools().list()).isEmpty();
    }

    @Test
    void aPoolAsksEachNewVmForItsPortAndItsPageAndRejectsOneThatDoesNotServe() {
        var _ = web().make();
        PoolInfo set = cloche.pools()
                .template("web")
                .healthCheck(Ready.port(PORT))
                .healthCheck(Ready.http(PORT, "/word"))
                .set();
        assertThat(set.probes()).containsExactly(Ready.port(PORT), Ready.http(PORT, "/word"));
        assertThat(cloche.pools().fill(PullListener.none())).isEmpty();
        try (Sandbox clone = cloche.restore("web").start()) {
            assertThat(clone.startTimings().orElseThrow().kind()).isEqualTo(StartKind.WARM);
        }

        var _ = cloche.pools()
                .template("web")
                .healthCheck(Ready.http(PORT, "/none"))
                .set();
        assertThat(cloche.pools().fill(PullListener.none()))
                .singleElement()
                .asString()
                .contains("health check", "port 8080 of its guest answers GET /none with 404");
        PoolInfo rejected = cloche.pools().list().getFirst();
        assertThat(rejected.ready()).isZero();
        assertThat(rejected.failed()).isEqualTo(1);
        assertThatThrownBy(() -> cloche.pools().template("web").healthCheck(Ready.log("ready")))
                .isInstanceOf(SandboxException.InvalidSpecification.class);
        cloche.pools().template("web").remove();
    }

    @Test
    void whatFailsIsToldWithItsOutputAndTheEarlierTemplateStays() {
        SnapshotInfo made = web().make();
        ByteArrayOutputStream written = new ByteArrayOutputStream();

        assertThatThrownBy(() -> web().run("sh", "-c", "echo no space >&2; exit 3")
                        .output(written)
                        .make())
                .isInstanceOfSatisfying(SandboxException.PreparationFailed.class, failed -> {
                    assertThat(failed.sentence()).contains("\"web\"", "ended with exit code 3");
                    assertThat(failed.output()).isEqualTo("no space\n");
                });
        assertThat(written.toString(StandardCharsets.UTF_8)).isEqualTo("no space\n");

        assertThatThrownBy(() -> cloche.templates()
                        .prepare("web", "base")
                        .memoryMib(256)
                        .start("sh", "-c", "echo no config; exit 2")
                        .ready(Ready.port(PORT))
                        .make())
                .isInstanceOfSatisfying(SandboxException.PreparationFailed.class, failed -> {
                    assertThat(failed.sentence()).contains("ended with exit code 2");
                    assertThat(failed.output()).isEqualTo("no config\n");
                });
        assertThatThrownBy(() -> cloche.templates()
                        .prepare("web", "base")
                        .memoryMib(256)
                        .start("httpd", "-f", "-p", Integer.toString(PORT), "-h", "/tmp")
                        .ready(Ready.http(PORT, "/none"))
                        .readyLimit(Duration.ofSeconds(1))
                        .make())
                .isInstanceOf(SandboxException.PreparationFailed.class)
                .hasMessageContaining("no good answer comes from port " + PORT);
        assertThatThrownBy(() -> cloche.templates()
                        .prepare("web", "base")
                        .memoryMib(256)
                        .copyIn(home.resolve("none"), "/none")
                        .make())
                .isInstanceOf(SandboxException.PreparationFailed.class)
                .hasMessageContaining("is not there to be copied");
        OutputStream full = new OutputStream() {
            @Override
            public void write(int octet) throws IOException {
                throw new IOException("no space");
            }
        };
        // More than is buffered on the way: what is not read would wait for ever.
        assertThatThrownBy(() -> web().run("sh", "-c", "yes | head -c 3000000 >&2")
                        .output(full)
                        .make())
                .isInstanceOf(UncheckedIOException.class)
                .hasMessageContaining("no space");
        assertThat(cloche.templates().prepared()).containsExactly(made);

        // A clone that cannot be prepared is not given out.
        var _ = cloche.templates()
                .prepare("broken", "base")
                .memoryMib(256)
                .onClone("sh", "-c", "echo no seed; exit 4")
                .make();
        assertThatThrownBy(() -> cloche.restore("broken").start())
                .isInstanceOfSatisfying(SandboxException.PreparationFailed.class, failed -> {
                    assertThat(failed.sentence())
                            .startsWith("A sandbox of the template \"broken\" is not ready")
                            .contains("ended with exit code 4");
                    assertThat(failed.output()).isEqualTo("no seed\n");
                });
        assertThatThrownBy(() -> cloche.restore("broken").name("kept").startDetached())
                .isInstanceOf(SandboxException.PreparationFailed.class);
        assertThat(cloche.sandboxes().list()).isEmpty();
    }

    @Test
    void itIsPreparedOncePerRecipeAndByOneProcessAtATime() throws Exception {
        AtomicInteger calls = new AtomicInteger();
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<SnapshotInfo>> all = Stream.generate(() -> threads.submit(() -> counted(calls, "1")))
                    .limit(3)
                    .toList();
            Set<SnapshotInfo> made = new HashSet<>();
            for (Future<SnapshotInfo> each : all) {
                made.add(each.get());
            }
            assertThat(made).hasSize(1);
        }
        assertThat(calls).hasValue(1);
        var _ = counted(calls, "2");
        assertThat(calls).hasValue(2);
        try (Sandbox clone = cloche.restore("counted").start()) {
            assertThat(sh(clone, "cat /version")).isEqualTo("2");
        }
    }

    private SnapshotInfo counted(AtomicInteger calls, String version) {
        return cloche.templates()
                .prepare("counted", "base")
                .memoryMib(256)
                .code(version, sandbox -> {
                    calls.incrementAndGet();
                    sandbox.files().writeString("/version", version);
                })
                .ensure();
    }

    @Test
    void anotherImageOfItsNameMakesItAnew() throws Exception {
        var _ = cloche.images().pull("base");
        var _ = cloche.images().tag("base", "mine");
        Path file = home.resolve("file");
        Files.writeString(file, "first\n");
        Templates.Preparation mine =
                cloche.templates().prepare("mine", "mine").memoryMib(256).copyIn(file, "/file");
        var _ = mine.make();
        assertThat(mine.isThere()).isTrue();
        var _ = cloche.templates()
                .prepare("coded", "mine")
                .memoryMib(256)
                .code("1", _ -> {})
                .make();
        assertThat(cloche.templates().changedFiles("mine")).isEmpty();
        Files.writeString(file, "second\n");
        assertThat(cloche.templates().changedFiles("mine")).containsExactly(file);
        assertThat(mine.isThere()).as("as its files are").isFalse();
        assertThat(cloche.templates().changedFiles("coded")).isEmpty();
        try (Sandbox clone = cloche.restore("mine").start()) {
            assertThat(sh(clone, "cat /file")).as("as it was").isEqualTo("first");
        }

        String before = cloche.snapshots().get("mine").digest();
        AnotherImage.of("base").load(cloche, "mine", home.resolve("another"));
        try (Sandbox clone = cloche.restore("mine").start()) {
            assertThat(sh(clone, "cat /file")).isEqualTo("second");
        }
        assertThat(cloche.templates().changedFiles("mine")).as("made anew").isEmpty();
        assertThat(cloche.snapshots().get("mine").digest()).isNotEqualTo(before);
        assertThatThrownBy(() -> cloche.restore("coded").start())
                .isInstanceOf(SandboxException.TemplateStale.class)
                .hasMessageContaining("\"coded\"");
    }

    @Test
    void aSnapshotsNameIsNoTemplates() {
        try (Sandbox sandbox = cloche.sandbox("base").memoryMib(256).start()) {
            var _ = sandbox.snapshot("taken");
            AtomicInteger calls = new AtomicInteger();
            assertThatThrownBy(() -> cloche.templates()
                            .prepare("taken", "base")
                            .code("1", _ -> calls.incrementAndGet())
                            .make())
                    .isInstanceOf(SandboxException.SnapshotExists.class);
            assertThat(calls).as("nothing was begun").hasValue(0);
            var _ = web().make();
            assertThatThrownBy(() -> sandbox.snapshot("web")).isInstanceOf(SandboxException.SnapshotExists.class);
            cloche.snapshots().remove("taken");
        }
        assertThatThrownBy(() -> cloche.templates().prepare("No Name", "base").make())
                .isInstanceOf(SandboxException.InvalidSpecification.class);
    }
}
