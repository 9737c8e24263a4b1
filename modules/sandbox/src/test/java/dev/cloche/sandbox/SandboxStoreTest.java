package dev.cloche.sandbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cloche.catalog.Catalog;
import dev.cloche.linux.ProcessIdentity;
import dev.cloche.vm.ExitStatus;
import dev.cloche.vm.VmId;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SandboxStoreTest {
    private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");

    @TempDir
    Path root;

    private Catalog catalog;
    private SandboxStore store;

    @BeforeEach
    void open() {
        catalog = Catalog.open(root, List.of(SandboxStore.SCHEMA));
        store = new SandboxStore(catalog, Clock.fixed(NOW, ZoneOffset.UTC), () -> {});
    }

    @AfterEach
    void close() {
        catalog.close();
    }

    @Test
    void readsBackWhatWasRecorded() {
        long id = insert("one").orElseThrow();
        SandboxRecord record = store.byName("one").orElseThrow();

        assertThat(record.id()).isEqualTo(id);
        assertThat(record.status()).isEqualTo(SandboxStatus.STARTING);
        assertThat(record.createdAt()).isEqualTo(NOW);
        RunRecord run = record.latestRun().orElseThrow();
        assertThat(run.owner()).isEqualTo(ProcessIdentity.current());
        assertThat(run.ending()).isEmpty();
    }

    @Test
    void aNameIsGivenOnce() {
        assertThat(insert("one")).isPresent();
        assertThat(insert("one")).isEmpty();
        assertThat(store.all()).hasSize(1);
    }

    @Test
    void anIdIsNeverGivenTwice() {
        long first = insert("one").orElseThrow();
        store.end(first, Ending.closed());
        assertThat(store.doom(first)).isTrue();
        assertThat(store.deleteEnded(first)).isTrue();
        assertThat(insert("one").orElseThrow()).isGreaterThan(first);
    }

    @Test
    void movesOnlyFromTheStatusThatWasRead() {
        long id = insert("one").orElseThrow();
        assertThat(store.move(id, SandboxStatus.STARTING, SandboxStatus.RUNNING))
                .isTrue();
        assertThat(store.move(id, SandboxStatus.STARTING, SandboxStatus.RUNNING))
                .isFalse();
        assertThatThrownBy(() -> store.move(id, SandboxStatus.RUNNING, SandboxStatus.CREATED))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void theFirstWordOnAnEndIsKept() {
        long id = insert("one").orElseThrow();
        assertThat(store.end(id, Ending.ofMain(new ExitStatus.Exited(9), false)))
                .isTrue();
        assertThat(store.end(id, Ending.vanished())).isFalse();

        SandboxRecord record = store.byName("one").orElseThrow();
        assertThat(record.status()).isEqualTo(SandboxStatus.STOPPED);
        Ending ending = record.latestRun().flatMap(RunRecord::ending).orElseThrow();
        assertThat(ending.reason()).isEqualTo(TerminationReason.FAILED);
        assertThat(ending.exitCode()).hasValue(9);
        assertThat(ending.exitSignal()).isEmpty();
    }

    @Test
    void whatRunsIsNotDeleted() {
        long id = insert("one").orElseThrow();
        assertThat(store.deleteEnded(id)).isFalse();
        assertThat(store.byName("one")).isPresent();
    }

    @Test
    void deletingASandboxDeletesItsRuns() {
        long id = insert("one").orElseThrow();
        store.end(id, Ending.closed());
        store.doom(id);
        store.deleteEnded(id);
        Optional<Long> runs = catalog.read(session -> session.first(row -> row.getLong(1), "SELECT count(*) FROM run"));
        assertThat(runs).contains(0L);
    }

    @Test
    void listsTheNewestFirst() {
        insert("one");
        insert("two");
        assertThat(store.all()).extracting(SandboxRecord::name).containsExactly("two", "one");
    }

    private Optional<Long> insert(String name) {
        SandboxSpec spec = SandboxSpec.of("base").withName(name);
        MainCommand main = new MainCommand(List.of("sleep", "1"), CommandOptions.none());
        return store.insert(
                new SandboxStore.NewSandbox(name, spec, main),
                Optional.of(new SandboxStore.NewRun(VmId.random(), true, ProcessIdentity.current())),
                directory -> {});
    }
}
