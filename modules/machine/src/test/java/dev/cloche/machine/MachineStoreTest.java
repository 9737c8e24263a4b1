package dev.cloche.machine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.Test;

/** What is saved, loaded, listed, changed and removed. */
class MachineStoreTest extends StoredMachines {
    @Test
    void whatIsSavedIsLoadedInAllItsParts() {
        SampleMachines.save(store(), SampleMachines.full());
        assertThat(store().load(WEB)).isEqualTo(SampleMachines.full());
        SampleMachines.save(store(), SampleMachines.plain("web"));
        assertThat(store().load(WEB)).isEqualTo(SampleMachines.plain("web"));
    }

    @Test
    void aNewFileSaysItsVersionAndIsItsOwnersAlone() throws IOException {
        SampleMachines.save(store(), SampleMachines.plain("web"));
        Path file = base().resolve("web/config.toml");
        assertThat(file).content().contains("schema_version = 1", "name = \"web\"", "state = \"created\"");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                .isEqualTo("rw-------");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(base().resolve("web"))))
                .isEqualTo("rwx------");
    }

    @Test
    void everythingButNameAndVmHasADefaultAndTheTimeIsTheFiles() throws IOException {
        Path file = put("old", resource("least.toml"));
        Instant longAgo = Instant.parse("2020-01-01T00:00:00Z");
        Files.setLastModifiedTime(file, FileTime.from(longAgo));

        PersistedMachine machine = store().load(new MachineName("old"));
        assertThat(machine.resources()).isEqualTo(new MachineResources(2, 2048, 20));
        assertThat(machine.status().state()).isEqualTo(DiskState.CREATED);
        assertThat(machine.createdAt()).isEqualTo(longAgo);
        assertThat(machine).isEqualTo(PersistedMachine.of(new MachineName("old"), machine.vmId(), longAgo));
    }

    @Test
    void aTimeThatWasTheFilesIsWrittenDownBeforeTheFileGetsAnother() throws IOException {
        Path file = put("old", resource("least.toml"));
        Instant longAgo = Instant.parse("2020-01-01T00:00:00Z");
        Files.setLastModifiedTime(file, FileTime.from(longAgo));

        store().updateState(new MachineName("old"), MachineState.STOPPED);
        store().updateState(new MachineName("old"), MachineState.CREATED);
        assertThat(store().load(new MachineName("old")).createdAt()).isEqualTo(longAgo);
        assertThat(file).content().contains("created_at = 2020-01-01T00:00:00Z");
    }

    @Test
    void filesOfOtherProgramsLoadWithAllThatTheySay() throws IOException {
        put("old", resource("reference.toml"));
        PersistedMachine machine = store().load(new MachineName("old"));
        assertThat(machine.resources()).isEqualTo(new MachineResources(4, 4096, 50));
        assertThat(machine.createdAt()).isEqualTo(Instant.parse("2025-02-01T10:20:30.123Z"));
        assertThat(machine.needsRecovery()).isTrue();
        assertThat(machine.foreign().blockDevices())
                .containsExactly(
                        new BlockDevice("/var/lib/machines/rootfs.erofs", true),
                        new BlockDevice("/var/lib/machines/old/data.img", false));
        assertThat(machine.origin().distroVersion()).contains("3.21");
        assertThat(machine.status().ipAddress()).contains("192.168.64.3");
        assertThat(machine.foreign().keys())
                .containsExactly("kernel", "cmdline", "block_devices", "disk_path", "ssh_key_path");
    }

    @Test
    void directoriesWithAConfigurationAreListedSorted() throws IOException {
        assertThat(store().list()).isEmpty();
        assertThat(store().loadAll()).isEmpty();
        List.of("c", "a", "b").forEach(name -> SampleMachines.save(store(), SampleMachines.plain(name)));
        Files.createDirectory(base().resolve("empty"));
        Files.writeString(base().resolve("file"), "x");
        assertThat(store().list()).containsExactly("a", "b", "c");
        assertThat(store().loadAll()).extracting(MachineEntry::name).containsExactly("a", "b", "c");
    }

    @Test
    void removingTakesTheWholeDirectoryAndIsDoneOnlyOnce() throws IOException {
        SampleMachines.save(store(), SampleMachines.plain("web"));
        Path outside = Files.writeString(directory.resolve("outside"), "stays");
        Files.createDirectories(base().resolve("web/snapshots/a"));
        Files.createSymbolicLink(base().resolve("web/snapshots/link"), directory);
        Files.createDirectory(base().resolve(".removed-by-a-killed-process"));
        Files.createDirectory(base().resolve(".making-of-a-killed-process"));

        assertThat(store().remove(WEB)).isTrue();
        assertThat(store().remove(WEB)).isFalse();
        assertThat(outside).hasContent("stays");
        try (var left = Files.list(base())) {
            assertThat(left)
                    .extracting(path -> path.getFileName().toString())
                    .containsExactlyInAnyOrder(".lock", ".locks", ".owners");
        }
    }

    @Test
    void unknownNamesAreNotFound() {
        assertThatThrownBy(() -> store().load(WEB))
                .isInstanceOfSatisfying(
                        MachineException.NotFound.class,
                        missing -> assertThat(missing.code()).isEqualTo("machine.not-found"));
        assertThatThrownBy(() -> store().update(WEB, machine -> machine)).isInstanceOf(MachineException.NotFound.class);
        assertThatThrownBy(() -> store().updateState(WEB, MachineState.RUNNING))
                .isInstanceOf(MachineException.NotFound.class);
        assertThatThrownBy(() -> store().rename(WEB, new MachineName("b")))
                .isInstanceOf(MachineException.NotFound.class);
    }

    @Test
    void theStateIsUpdatedAlone() {
        SampleMachines.save(store(), SampleMachines.full());
        assertThat(store().updateState(WEB, MachineState.STARTING).needsRecovery())
                .isTrue();
        assertThat(store().load(WEB))
                .isEqualTo(SampleMachines.full()
                        .withStatus(SampleMachines.full().status().withState(DiskState.RUNNING)));
    }

    @Test
    void anUpdateThatChangesNothingDoesNotTouchTheFile() throws IOException {
        Path file = put("old", resource("reference.toml"));
        Files.setLastModifiedTime(file, FileTime.fromMillis(1_000));
        store().update(
                        new MachineName("old"),
                        machine -> machine.withResources(machine.resources().withCpus(4)));
        assertThat(Files.getLastModifiedTime(file).toMillis()).isEqualTo(1_000);
    }

    @Test
    void anUpdateThatFailsChangesNothing() {
        SampleMachines.save(store(), SampleMachines.plain("web"));
        assertThatThrownBy(() -> store().update(WEB, _ -> {
                    throw new UncheckedIOException(new IOException("no"));
                }))
                .isInstanceOf(UncheckedIOException.class);
        assertThatThrownBy(() -> store().update(
                                WEB,
                                machine -> machine.withSettings(
                                        machine.settings().withLabels(Map.of("half", "a pair: \ud800")))))
                .isInstanceOf(MachineException.Invalid.class);
        assertThat(store().load(WEB)).isEqualTo(SampleMachines.plain("web"));
    }

    @Test
    void threadsLoseNoUpdate() throws Exception {
        SampleMachines.save(store(), SampleMachines.plain("web"));
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            for (int thread = 0; thread < 16; thread++) {
                String key = "t" + thread;
                var _ = threads.submit(() -> store().update(WEB, machine -> TestLabels.counted(machine, key)));
            }
        }
        assertThat(store().load(WEB).settings().labels()).hasSize(16);
    }

    @Test
    void aRenamedMachineHasItsFilesAndNoTraceOfItsOldName() throws IOException {
        SampleMachines.save(store(), SampleMachines.full());
        Files.writeString(base().resolve("web/disk"), "data");
        MachineName next = new MachineName("db");
        assertThat(store().rename(WEB, next)).isEqualTo(SampleMachines.full().withName(next));
        assertThat(store().load(next)).isEqualTo(SampleMachines.full().withName(next));
        assertThat(base().resolve("db/disk")).hasContent("data");
        assertThat(base().resolve("db/config.toml")).content().doesNotContain("web", "renamed_to");
        assertThat(store().list()).containsExactly("db");
    }

    @Test
    void aRenameThatWasCutShortIsOneNameOrTheOther() throws IOException {
        put("web", "name = \"web\"\nvm_id = \"x\"\nrenamed_to = \"db\"\n");
        assertThat(store().load(WEB).name()).isEqualTo(WEB);

        Files.move(base().resolve("web"), base().resolve("db"));
        MachineName db = new MachineName("db");
        assertThat(store().load(db).name()).isEqualTo(db);
        store().updateState(db, MachineState.STOPPED);
        assertThat(base().resolve("db/config.toml"))
                .content()
                .contains("name = \"db\"")
                .doesNotContain("renamed_to");
    }

    @Test
    void anEditedTextReplacesTheFileOnlyIfItIsGoodAndTheFileIsAsItWasSeen() throws IOException {
        SampleMachines.save(store(), SampleMachines.plain("web"));
        byte[] seen = store().text(WEB);
        String text = new String(seen, StandardCharsets.UTF_8);
        byte[] bad = text.replace("cpus = 2", "cpus = 0").getBytes(StandardCharsets.UTF_8);
        byte[] good = text.replace("cpus = 2", "cpus = 3 # one more").getBytes(StandardCharsets.UTF_8);

        assertThatThrownBy(() -> store().replace(WEB, seen, bad)).isInstanceOf(MachineException.Broken.class);
        assertThat(store().text(WEB)).isEqualTo(seen);
        assertThat(store().replace(WEB, seen, good).resources().cpus()).isEqualTo(3);
        assertThat(store().text(WEB)).isEqualTo(good);
        assertThatThrownBy(() -> store().replace(WEB, seen, good)).isInstanceOf(MachineException.Busy.class);
    }
}
