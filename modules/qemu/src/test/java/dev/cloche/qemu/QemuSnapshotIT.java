package dev.cloche.qemu;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cloche.qemu.snapshot.SnapshotManifest;
import dev.cloche.qemu.snapshot.SnapshotMemory;
import dev.cloche.vm.ExecRequest;
import dev.cloche.vm.SnapshotException;
import dev.cloche.vm.SnapshotName;
import dev.cloche.vm.SnapshotRef;
import dev.cloche.vm.Vm;
import dev.cloche.vm.VmException;
import dev.cloche.vm.VmId;
import dev.cloche.vm.VmSpec;
import dev.cloche.vm.VmState;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Snapshots of real VMs: what only QEMU, a disk and other processes can show. */
class QemuSnapshotIT extends QemuTest {
    private static final SnapshotName NAME = new SnapshotName("template");
    private static final String WHO_AM_I = "busybox head -c 16 /dev/urandom | busybox od -An -tx1 | busybox tr -d ' ';"
            + " cat /etc/machine-id; hostname; busybox cat /proc/sys/kernel/random/uuid";

    private SnapshotRef template() {
        return template(spec());
    }

    private SnapshotRef template(VmSpec spec) {
        try (Vm maker = provider.create(spec.asTemplateMaker())) {
            maker.start(soon());
            SnapshotRef taken = maker.snapshot(NAME, soon());
            maker.destroy();
            return taken;
        }
    }

    private Path files() {
        return fixture.stateRoot().resolve("snapshots").resolve(NAME.value());
    }

    @Test
    void tenRestoresAnswerAndAreUnique() throws IOException {
        restoreAndCompare(10);
    }

    @Test
    @Tag("slow")
    void aHundredRestoresAnswerAndAreUnique() throws IOException {
        restoreAndCompare(100);
    }

    private void restoreAndCompare(int count) throws IOException {
        SnapshotRef taken = template();
        Set<String> seen = new HashSet<>();
        for (int i = 0; i < count; i++) {
            try (Vm clone = clone(taken)) {
                List<String> answers = output(clone, ExecRequest.of("sh", "-c", WHO_AM_I))
                        .lines()
                        .toList();
                assertThat(answers).hasSize(4).allMatch(seen::add);
                assertThat(answers.get(2)).isEqualTo(clone.id().value());
                long now = Long.parseLong(
                        output(clone, ExecRequest.of("busybox", "date", "+%s")).strip());
                assertThat(Instant.ofEpochSecond(now))
                        .isBetween(Instant.now().minusSeconds(30), Instant.now().plusSeconds(30));
                clone.kill(soon());
                clone.destroy();
            }
        }
        assertThat(provider.list()).isEmpty();
    }

    @Test
    void aTemplateIsSparseAndLeavesNothingElse() throws IOException {
        SnapshotRef taken = template(spec().withMemoryMiB(1024));
        try (Stream<Path> all = Files.list(files())) {
            assertThat(all.map(file -> file.getFileName().toString()))
                    .containsExactlyInAnyOrder("checked", "lock", "manifest.json", "memory", "state");
        }
        try (Stream<Path> all = Files.walk(fixture.stateRoot().resolve("snapshots"))) {
            assertThat(all.filter(Files::isRegularFile))
                    .allSatisfy(file -> assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                            .as("%s", file)
                            .isEqualTo("rw-------"));
        }
        assertThat(allocated(files().resolve("memory"))).isBetween(1L << 20, 256L << 20);
        assertThat(files().resolve("memory")).hasSize(1L << 30);
        assertThat(fixture.layout().sharedMemory()).isEmptyDirectory();
        assertThat(provider.list()).isEmpty();
        try (Vm clone = clone(taken)) {
            assertThat(output(clone, ExecRequest.of("echo", "hi"))).isEqualTo("hi\n");
        }
    }

    @Test
    void aCloneMapsTheMemoryOfItsTemplateInsteadOfCopyingIt() throws IOException {
        SnapshotRef taken = template(spec().withMemoryMiB(1024));
        try (Vm clone = clone(taken)) {
            assertThat(output(clone, ExecRequest.of("echo", "hi"))).isEqualTo("hi\n");
            MappedFile memory = MappedFile.of(qemuOf(clone), files().resolve("memory"));
            assertThat(memory.permissions())
                    .as("private, so that no other process sees what it writes")
                    .isEqualTo("rw-p");
            assertThat(memory.kibibytes("Size")).isEqualTo(1L << 20);
            assertThat(memory.kibibytes("Private_Dirty")).as("copied").isLessThan(64L << 10);
        }
    }

    @Test
    void aTemplateWhoseMemoryAQemuHasChangedIsNotRestoredAnyMore() throws IOException {
        SnapshotRef taken = template();
        try (Vm clone = clone(taken)) {
            assertThat(output(clone, ExecRequest.of("echo", "hi"))).isEqualTo("hi\n");
            try (Vm other = clone(taken)) {
                other.guest().ping(soon());
            }
            // QEMU has it open for writing: what a guest that broke out of it can do.
            Path open = descriptorOf(qemuOf(clone), files().resolve("memory"));
            try (FileChannel channel = FileChannel.open(open, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
                MappedByteBuffer mapped = channel.map(FileChannel.MapMode.READ_WRITE, 0, channel.size());
                mapped.put(unusedByteOf(mapped), (byte) 1);
            }
            refusedAsDamaged(taken, "its memory is not what was written; the file was changed since");
            clone.guest().ping(soon());
        }
        assertThat(SnapshotCheck.problems(fixture.stateRoot())).hasSize(1);
    }

    /** Finds a page of zeros far from the kernel: the clone maps this file, and must not see its own code change. */
    private static int unusedByteOf(MappedByteBuffer memory) {
        int page = 4096;
        byte[] zeros = new byte[page];
        byte[] read = new byte[page];
        for (int at = memory.capacity() / 2; at < memory.capacity(); at += page) {
            memory.get(at, read);
            if (Arrays.equals(read, zeros)) {
                return at;
            }
        }
        throw new AssertionError("no unused page in the memory of a guest that has just booted");
    }

    private static Path descriptorOf(long pid, Path file) throws IOException {
        try (Stream<Path> all = Files.list(Path.of("/proc", String.valueOf(pid), "fd"))) {
            return all.filter(link -> {
                        try {
                            return Files.isSameFile(link, file);
                        } catch (IOException gone) {
                            return false;
                        }
                    })
                    .findFirst()
                    .orElseThrow();
        }
    }

    @Test
    void aSnapshotOfAProgramThatKeptNoSealIsRestoredAndKeptPrivate() throws IOException {
        SnapshotRef taken = template();
        Path manifest = files().resolve(SnapshotManifest.FILE);
        Files.writeString(
                manifest,
                Files.readString(manifest)
                        .replaceFirst("\"memoryDigest\":\"[0-9a-f]*\",\"memoryStamp\":\"[0-9:]*\",", ""));
        Files.delete(files().resolve(SnapshotMemory.CHECKED));
        for (String name : List.of("memory", "state")) {
            Files.setPosixFilePermissions(files().resolve(name), PosixFilePermissions.fromString("rw-r--r--"));
        }
        try (Vm clone = clone(taken)) {
            assertThat(output(clone, ExecRequest.of("echo", "hi"))).isEqualTo("hi\n");
        }
        for (String name : List.of("memory", "state")) {
            assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(files().resolve(name))))
                    .isEqualTo("rw-------");
        }
        assertThat(files().resolve(SnapshotMemory.CHECKED)).doesNotExist();
    }

    private long qemuOf(Vm vm) {
        return GuardedQemu.of(provider, vm.id()).pid();
    }

    private static long allocated(Path file) throws IOException {
        Process stat = new ProcessBuilder("stat", "-c", "%b", file.toString()).start();
        return 512 * Long.parseLong(stat.inputReader().readLine());
    }

    @Test
    void clientsConnectToAClonePortsThatWerePluggedInAndPortsThatWereNot() throws IOException {
        SnapshotRef taken;
        try (Vm vm = running();
                Vm client = provider.connect(vm.id(), soon())) {
            client.guest().ping(soon());
            taken = vm.snapshot(NAME, soon());
            assertThat(output(client, ExecRequest.of("echo", "undisturbed"))).isEqualTo("undisturbed\n");
        }
        try (Vm clone = clone(taken);
                Vm first = provider.connect(clone.id(), soon());
                Vm second = provider.connect(clone.id(), soon())) {
            assertThat(output(first, ExecRequest.of("echo", "1"))).isEqualTo("1\n");
            assertThat(output(second, ExecRequest.of("echo", "2"))).isEqualTo("2\n");
            assertThat(output(clone, ExecRequest.of("echo", "0"))).isEqualTo("0\n");
        }
    }

    @Test
    void anotherInitramfsAndAnotherQemuAreRefusedByName() throws IOException {
        SnapshotRef taken = template();
        KernelImage kernel = resources.kernel();
        Path initramfs = Files.copy(kernel.initramfs(), directory.resolve("initramfs"));
        Files.write(initramfs, new byte[512], StandardOpenOption.APPEND);
        // Its accelerators are modules beside it, so a copy would not find them.
        Path qemu = Files.writeString(directory.resolve("qemu"), "#!/bin/sh\nexec " + resources.qemu() + " \"$@\"\n");
        assertThat(qemu.toFile().setExecutable(true)).isTrue();
        VmResources other = new VmResources(
                qemu,
                resources.guard(),
                resources.clockMeter(),
                new KernelImage(kernel.kernel(), initramfs, kernel.properties()));
        try (QemuProvider elsewhere = new QemuProvider(fixture.layout(), other);
                Vm clone = elsewhere.create(VmSpec.restored(VmId.random(), taken))) {
            assertThatThrownBy(() -> clone.start(soon()))
                    .isInstanceOfSatisfying(
                            SnapshotException.Mismatch.class,
                            e -> assertThat(e.differences())
                                    .extracting(SnapshotException.Mismatch.Difference::field)
                                    .containsExactly("initramfs", "qemuBinary"));
            assertThat(clone.state()).isEqualTo(VmState.FAILED);
            clone.destroy();
        }
    }

    @Test
    void aRecordedDifferenceIsNamedWithBothValues() throws IOException {
        SnapshotRef taken = template();
        Path manifest = files().resolve(SnapshotManifest.FILE);
        String version = provider.capabilities().version();
        Files.writeString(
                manifest,
                Files.readString(manifest)
                        .replace("\"key.qemu\":\"" + version, "\"key.qemu\":\"6.6.6")
                        .replace("\"key.memoryMiB\":\"256\"", "\"key.memoryMiB\":\"512\""));
        try (Vm clone = provider.create(VmSpec.restored(VmId.random(), taken))) {
            assertThatThrownBy(() -> clone.start(soon()))
                    .isInstanceOf(SnapshotException.Mismatch.class)
                    .hasMessageContaining("qemu: 6.6.6 then, " + version + " here")
                    .hasMessageContaining("memoryMiB: 512 then, 256 here");
        }
    }

    @Test
    void damagedFilesAreRefused() throws IOException {
        SnapshotRef taken = template();
        try (FileChannel state = FileChannel.open(files().resolve("state"), StandardOpenOption.WRITE)) {
            state.write(ByteBuffer.wrap(new byte[] {1, 2, 3}), state.size() / 2);
        }
        refusedAsDamaged(taken, "device state");
        try (FileChannel memory = FileChannel.open(files().resolve("memory"), StandardOpenOption.WRITE)) {
            memory.truncate(memory.size() - 4096);
        }
        refusedAsDamaged(taken, "memory");
        Path manifest = files().resolve(SnapshotManifest.FILE);
        Files.writeString(manifest, Files.readString(manifest).substring(0, 300));
        refusedAsDamaged(taken, "manifest.json");
        assertThatThrownBy(() -> provider.snapshot(NAME)).isInstanceOf(SnapshotException.Damaged.class);
        assertThat(provider.snapshots()).isEmpty();
        provider.deleteSnapshot(NAME);
        assertThat(files()).doesNotExist();
    }

    private void refusedAsDamaged(SnapshotRef taken, String what) {
        try (Vm clone = provider.create(VmSpec.restored(VmId.random(), taken))) {
            assertThatThrownBy(() -> clone.start(soon()))
                    .isInstanceOf(SnapshotException.Damaged.class)
                    .hasMessageContaining(what);
            clone.destroy();
        }
    }

    @Test
    void aClonesGuardKeepsTheSnapshotAfterItsOwnerIsKilled() throws Exception {
        var _ = template();
        VmId id = new VmId("left-alone");
        assertThat(fixture.inAnotherJvm("restore detached", id.value(), NAME.value()))
                .isEqualTo("ready");
        QemuFixture.killAndWait(fixture.latestChild());
        assertThatThrownBy(() -> provider.deleteSnapshot(NAME))
                .isInstanceOf(VmException.Busy.class)
                .hasMessageContaining("VM left-alone");
        try (Vm adopted = provider.adopt(id, soon())) {
            SnapshotRef fork = adopted.snapshot(new SnapshotName("fork"), soon());
            try (Vm forked = clone(fork)) {
                assertThat(output(forked, ExecRequest.of("hostname")))
                        .isEqualTo(forked.id().value() + "\n");
            }
            adopted.kill(soon());
        }
        provider.deleteSnapshot(NAME);
        assertThat(provider.snapshots()).extracting(SnapshotRef::name).containsExactly(new SnapshotName("fork"));
    }

    @Test
    void aFullDiskLeavesTheVmRunningAndNothingElse() throws Exception {
        Path store = Files.createDirectories(fixture.stateRoot().resolve("snapshots"));
        Assumptions.assumeTrue(
                mount("-t", "tmpfs", "-o", "size=16m", "none", store.toString()), "only root mounts a small disk");
        try (Vm vm = running()) {
            assertThatThrownBy(() -> vm.snapshot(NAME, soon()))
                    .isInstanceOf(VmException.Storage.class)
                    .hasMessageContaining("space");
            assertThat(store).isEmptyDirectory();
            assertThat(vm.state()).isEqualTo(VmState.RUNNING);
            assertThat(output(vm, ExecRequest.of("echo", "goes on"))).isEqualTo("goes on\n");
        } finally {
            assertThat(new ProcessBuilder("umount", store.toString()).start().waitFor())
                    .isZero();
        }
    }

    private static boolean mount(String... arguments) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of("mount"));
        command.addAll(List.of(arguments));
        return new ProcessBuilder(command).start().waitFor() == 0;
    }

    /** An empty directory is left alone for a minute: its maker may be about to lock it. */
    private static List<Path> left(Path store) throws IOException {
        try (Stream<Path> entries = Files.list(store)) {
            return entries.filter(entry -> !(entry.getFileName().toString().startsWith(".tmp-")
                            && Optional.ofNullable(entry.toFile().list()).orElseThrow().length == 0))
                    .toList();
        }
    }

    @Test
    void aMakerThatIsKilledLeavesNothingListedAndNothingRunning() throws Exception {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        for (int i = 0; i < 4; i++) {
            Process maker = fixture.begin("make a template", "maker-" + i, disk.toString(), "half-" + i);
            assertThat(maker.inputReader().readLine())
                    .as(() -> "seed " + seed + ": " + fixture.errorsOfLatestChild())
                    .isEqualTo("started");
            // At any point of its work; a whole snapshot is as good as none.
            maker.waitFor(random.nextInt(1500), TimeUnit.MILLISECONDS);
            QemuFixture.killAndWait(maker);
        }
        Awaitility.await()
                .until(() ->
                        provider.list().stream().noneMatch(info -> info.state().live()));
        for (SnapshotRef whole : provider.snapshots()) {
            try (Vm clone = clone(whole)) {
                clone.guest().ping(soon());
                clone.kill(soon());
                clone.destroy();
            }
            provider.deleteSnapshot(whole.name());
        }
        assertThat(provider.list()).isEmpty();
        assertThat(fixture.stateRoot().resolve("snapshots"))
                .satisfiesAnyOf(
                        store -> assertThat(store).doesNotExist(),
                        store -> assertThat(left(store)).isEmpty());
        assertThat(fixture.layout().sharedMemory()).isEmptyDirectory();
    }
}
