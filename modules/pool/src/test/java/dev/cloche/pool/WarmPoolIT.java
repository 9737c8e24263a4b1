package dev.cloche.pool;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.cloche.base.ChildJvm;
import dev.cloche.base.Deadline;
import dev.cloche.qemu.QemuInstallation;
import dev.cloche.qemu.QemuProvider;
import dev.cloche.qemu.VmLayout;
import dev.cloche.qemu.VmResources;
import dev.cloche.vm.ExecRequest;
import dev.cloche.vm.GuestExecution;
import dev.cloche.vm.GuestIdentity;
import dev.cloche.vm.NetworkSpec;
import dev.cloche.vm.PooledVm;
import dev.cloche.vm.RootDisk;
import dev.cloche.vm.SnapshotName;
import dev.cloche.vm.SnapshotRef;
import dev.cloche.vm.Vm;
import dev.cloche.vm.VmException;
import dev.cloche.vm.VmId;
import dev.cloche.vm.VmInfo;
import dev.cloche.vm.VmSpec;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The pool's key cases on real VMs: unique guests, adoption, and owners that are killed whenever. */
class WarmPoolIT {
    private static final String WHO_AM_I = "busybox head -c 16 /dev/urandom | busybox od -An -tx1 | busybox tr -d ' ';"
            + " cat /etc/machine-id; hostname; busybox cat /proc/sys/kernel/random/uuid; echo now > /tmp/now";

    @TempDir
    Path directory;

    private VmResources resources;
    private QemuProvider provider;
    private VmSpec plain;
    private SnapshotRef snapshot;
    private StackKey key;

    @BeforeEach
    void makeTemplate() throws Exception {
        resources = QemuInstallation.resources();
        Path disk = QemuInstallation.disk(directory);
        provider = open();
        plain = VmSpec.of(VmId.random(), RootDisk.raw(disk));
        snapshot = template("template", plain);
        key = PoolOwner.key("a", snapshot);
    }

    private SnapshotRef template(String name, VmSpec spec) {
        try (Vm maker = provider.create(spec.asTemplateMaker())) {
            maker.start(soon());
            SnapshotRef taken = maker.snapshot(new SnapshotName(name), soon());
            maker.destroy();
            return taken;
        }
    }

    /** A restore that was under way when its pool was closed is cleaned up when it ends. */
    @AfterEach
    void endEverything() {
        provider.close();
        await().atMost(Duration.ofMinutes(5))
                .ignoreExceptionsMatching(
                        going -> going instanceof DirectoryNotEmptyException || going instanceof VmException)
                .until(this::nothingIsLeft);
    }

    private boolean nothingIsLeft() throws IOException {
        try (QemuProvider last = open()) {
            for (VmInfo vm : last.list()) {
                if (vm.state().live()) {
                    last.kill(vm.id(), soon());
                }
                last.destroy(vm.id());
            }
        }
        Files.deleteIfExists(layout().runtimeDirectory());
        return true;
    }

    private VmLayout layout() {
        return VmLayout.of(directory.resolve("state"));
    }

    private QemuProvider open() {
        return new QemuProvider(layout(), resources);
    }

    private static Deadline soon() {
        return Deadline.after(Duration.ofMinutes(5));
    }

    @Test
    void twentyWarmGuestsAreAllDifferentAndKnowTheTime() throws Exception {
        Set<String> seen = new HashSet<>();
        try (WarmPool pool = WarmPool.start(provider, PoolConfig.DEFAULT)) {
            pool.register(key, Registration.of(snapshot));
            for (int i = 0; i < 20; i++) {
                String name = "guest-" + i;
                try (WarmVm warm = pool.acquire(key, () -> GuestIdentity.fresh(name, Clock.systemUTC()), soon())) {
                    Vm vm = warm.take();
                    Instant before = Instant.now();
                    List<String> answers = output(vm, WHO_AM_I).lines().toList();
                    assertThat(answers).hasSize(4).allMatch(seen::add);
                    assertThat(answers.get(2)).isEqualTo(name);
                    assertThat(vm.guest().files().stat("/tmp/now", true, soon()).modified())
                            .isBetween(before.minusMillis(50), Instant.now().plusMillis(50));
                    var _ = vm.kill(soon());
                    vm.destroy();
                    vm.close();
                }
            }
        }
        awaitNothingButShelves();
    }

    @Test
    void warmGuestsWithANetworkHaveAddressesOfTheirOwn() throws Exception {
        SnapshotRef networked = template("networked", plain.withNetwork(NetworkSpec.user()));
        StackKey own = PoolOwner.key("networked", networked);
        Set<String> seen = new HashSet<>();
        try (WarmPool pool = WarmPool.start(provider, PoolConfig.DEFAULT)) {
            pool.register(own, Registration.of(networked).withDepth(DepthPolicy.of(2)));
            for (int i = 0; i < 20; i++) {
                try (WarmVm warm =
                        pool.acquire(own, () -> GuestIdentity.fresh("networked", Clock.systemUTC()), soon())) {
                    Vm vm = warm.take();
                    String address = output(vm, "busybox cat /sys/class/net/eth0/address")
                            .strip();
                    assertThat(address).startsWith("02:").isNotEqualTo("02:c1:0c:00:00:01");
                    assertThat(seen.add(address)).isTrue();
                    var _ = vm.kill(soon());
                    vm.destroy();
                    vm.close();
                }
            }
        }
        awaitNothingButShelves();
    }

    /** Closing waits half a second at most; what was being restored then is removed when it ends. */
    private void awaitNothingButShelves() {
        await().untilAsserted(() -> {
            for (PooledVm vm : provider.pooled()) {
                var _ = provider.reclaim(vm.id(), soon());
            }
            assertThat(provider.list()).isEmpty();
        });
    }

    private static String output(Vm vm, String script) throws IOException {
        try (GuestExecution execution = vm.guest().exec(ExecRequest.of("sh", "-c", script), soon())) {
            return new String(execution.stdout().readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    @Test
    void entriesWithoutAProcessAreRetiredByTheirGuards() {
        try (WarmPool pool = WarmPool.start(provider, PoolOwner.CONFIG)) {
            pool.register(
                    key,
                    Registration.of(snapshot).withMaxAge(Duration.ofSeconds(6)).withDepth(DepthPolicy.of(1)));
            await().until(() -> pool.metrics().created() >= 1);
        }
        await().until(() -> provider.pooled().stream().allMatch(vm -> vm.stage() == PooledVm.Stage.ENDED));
        for (PooledVm vm : provider.pooled()) {
            assertThat(provider.reclaim(vm.id(), soon())).isTrue();
        }
        assertThat(provider.list()).isEmpty();
    }

    @Test
    void killsAtAnyTimeLeakNothingAndNothingIsHandedOutTwice() throws Exception {
        killOwners(4);
    }

    @Test
    @Tag("slow")
    void howeverManyAreKilledNothingLeaksAndNothingIsHandedOutTwice() throws Exception {
        killOwners(60);
    }

    private void killOwners(int rounds) throws Exception {
        Path books = directory.resolve("books");
        long seed = Long.getLong("pool.seed", System.nanoTime());
        Random random = new Random(seed);
        for (int round = 0; round < rounds; round++) {
            // Two at once, so that they compete for what the ones before have left.
            List<Process> owners = List.of(owner(books), owner(books));
            try {
                for (Process owner : owners) {
                    assertThat(owner.inputReader().readLine()).isEqualTo("ready");
                }
                long lines = lines(books, "") + random.nextInt(6);
                long done = round == 0 ? 1 : 0;
                await().pollInterval(Duration.ofMillis(5))
                        .until(() -> lines(books, "") >= lines && lines(books, "done ") >= done);
                // The one wait that is the test: until any moment of refill and hand-off.
                Thread.sleep(random.nextInt(300));
            } finally {
                for (Process owner : owners) {
                    owner.destroyForcibly().waitFor();
                }
            }
        }
        List<String> lines = Files.readAllLines(books);
        List<String> done =
                lines.stream().filter(line -> line.startsWith("done ")).toList();
        assertThat(done).as("seed " + seed).isNotEmpty().doesNotHaveDuplicates();
        Set<String> chosen = new HashSet<>();
        lines.stream().filter(line -> line.startsWith("chosen ")).forEach(line -> chosen.add(line.substring(7)));

        try (WarmPool next = WarmPool.start(provider, PoolConfig.DEFAULT)) {
            next.register(key, Registration.of(snapshot).withDepth(DepthPolicy.of(2)));
            await().until(() -> !next.metrics().keys().isEmpty()
                    && next.metrics().keys().values().iterator().next().depth() == 2);
        }
        // What the last runtime no longer needs is reclaimed. What was claimed when its owner died is ended by its
        // guard, and is in the books of the process that chose it; a VM that is neither stays, and fails this.
        await().untilAsserted(() -> {
            Set<VmId> pooled = new HashSet<>();
            provider.pooled().forEach(vm -> pooled.add(vm.id()));
            for (VmInfo vm : provider.list()) {
                if (pooled.contains(vm.id())) {
                    var _ = provider.reclaim(vm.id(), soon());
                } else if (chosen.contains(vm.id().value()) && !vm.state().live()) {
                    provider.destroy(vm.id());
                }
            }
            assertThat(provider.list())
                    .as("seed %s, pooled %s, chosen %s", seed, provider.pooled(), chosen)
                    .isEmpty();
        });
    }

    private static long lines(Path books, String beginning) throws IOException {
        return Files.exists(books)
                ? Files.readAllLines(books).stream()
                        .filter(line -> line.startsWith(beginning))
                        .count()
                : 0;
    }

    private Process owner(Path books) throws IOException {
        return new ProcessBuilder(ChildJvm.command(
                        PoolOwner.class,
                        directory.resolve("state").toString(),
                        resources.guard().resolveSibling("").toString(),
                        snapshot.name().value(),
                        key.name(),
                        books.toString()))
                .redirectInput(ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile()))
                .redirectError(ProcessBuilder.Redirect.appendTo(
                        directory.resolve("owners.log").toFile()))
                .start();
    }
}
