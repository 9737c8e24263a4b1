package dev.cloche.sandbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cloche.catalog.Catalog;
import dev.cloche.catalog.CatalogException;
import dev.cloche.catalog.WriteDurability;
import dev.cloche.linux.ProcessIdentity;
import dev.cloche.sandbox.lifecycle.SandboxTerminator;
import dev.cloche.sandbox.record.EventRows;
import dev.cloche.sandbox.record.SandboxStore;
import dev.cloche.sandbox.record.StartRows;
import dev.cloche.vm.ExitStatus;
import dev.cloche.vm.VmId;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class SandboxStoreTest {
    private static final StartRows.Note COLD =
            new StartRows.Note(StartKind.COLD, Duration.ofMillis(1), Duration.ofMillis(2), Optional.empty());
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
        assertThat(run.termination()).isEmpty();
    }

    @Test
    void aNameIsGivenOnce() {
        assertThat(insert("one")).isPresent();
        assertThat(insert("one")).isEmpty();
        assertThat(store.list(SandboxFilter.all())).hasSize(1);
    }

    @Test
    void anIdIsNeverGivenTwice() {
        long first = insert("one").orElseThrow();
        store.end(first, Termination.closed());
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

    @ParameterizedTest
    @EnumSource(SandboxStatus.class)
    void everyTransitionIsTakenOnceAndNoOther(SandboxStatus from) {
        for (SandboxStatus to : SandboxStatus.values()) {
            String name = (from + "-" + to).toLowerCase(Locale.ROOT);
            long id = insert(name).orElseThrow();
            put(id, from);
            if (from.successors().contains(to)) {
                assertThat(store.move(id, from, to)).isTrue();
                assertThat(store.byId(id).orElseThrow().status()).isEqualTo(to);
                assertThat(store.move(id, from, to)).isFalse();
            } else {
                assertThatThrownBy(() -> store.move(id, from, to)).isInstanceOf(IllegalArgumentException.class);
                assertThat(store.byId(id).orElseThrow().status()).isEqualTo(from);
            }
        }
    }

    private void put(long id, SandboxStatus status) {
        catalog.write(
                transaction -> transaction.update("UPDATE sandbox SET status = ? WHERE id = ?", status.name(), id));
    }

    @Test
    void aRunEndsOnce() {
        assertThat(RunStatus.RUNNING.successors()).containsExactly(RunStatus.TERMINATED);
        assertThat(RunStatus.TERMINATED.successors()).isEmpty();
    }

    @Test
    void aSandboxHasOneRunAtATime() {
        long id = insert("one").orElseThrow();
        put(id, SandboxStatus.STOPPED);
        SandboxStore.NewRun second = new SandboxStore.NewRun(VmId.random(), true, ProcessIdentity.current());
        assertThatThrownBy(() -> store.startAgain(id, SandboxStatus.STOPPED, second, 0))
                .isInstanceOf(CatalogException.Constraint.class);
        store.end(id, Termination.vanished());
        assertThat(store.startAgain(id, SandboxStatus.STOPPED, second, 2)).isTrue();
        assertThat(store.byId(id).orElseThrow().restarts()).isEqualTo(2);
        assertThat(store.startAgain(id, SandboxStatus.STOPPED, second, 0)).isFalse();
    }

    @Test
    void theLatestWhoAsksForTheEndIsRemembered() {
        long id = insert("one").orElseThrow();
        assertThat(store.ask(id, TerminationReason.SHUTDOWN_REQUESTED, SandboxTerminator.ENDABLE))
                .as("it has not started yet")
                .isFalse();
        assertThat(store.running(
                        id,
                        Optional.empty(),
                        Optional.empty(),
                        new SandboxStore.FoundImage("sha256:0", "sh"),
                        COLD,
                        WriteDurability.FORCED))
                .map(SandboxRecord::status)
                .contains(SandboxStatus.RUNNING);
        assertThat(store.ask(id, TerminationReason.DRAIN_REQUESTED, SandboxTerminator.ENDABLE))
                .isTrue();
        assertThat(store.ask(id, TerminationReason.SIGNAL, SandboxTerminator.ENDABLE))
                .isTrue();
        assertThat(store.ask(id, TerminationReason.IDLE_TIMEOUT, EnumSet.of(SandboxStatus.RUNNING)))
                .isFalse();
        assertThat(store.byId(id).flatMap(SandboxRecord::latestRun).flatMap(RunRecord::asked))
                .contains(TerminationReason.SIGNAL);
        assertThatThrownBy(() -> store.ask(id, TerminationReason.FAILED, SandboxTerminator.ENDABLE))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void keepsTheLatestEvents() {
        long id = insert("one").orElseThrow();
        catalog.write(transaction ->
                transaction.update("UPDATE sqlite_sequence SET seq = ? WHERE name = 'sandbox_event'", EventRows.KEPT));
        store.end(id, Termination.vanished());
        assertThat(store.eventsAfter(0)).extracting(SandboxEvent::kind).containsExactly(SandboxEvent.Kind.CRASHED);
    }

    @Test
    void theFirstWordOnAnEndIsKept() {
        long id = insert("one").orElseThrow();
        assertThat(store.end(id, Termination.ofMain(new ExitStatus.Exited(9), false)))
                .isTrue();
        assertThat(store.end(id, Termination.vanished())).isFalse();

        SandboxRecord record = store.byName("one").orElseThrow();
        assertThat(record.status()).isEqualTo(SandboxStatus.STOPPED);
        Termination termination =
                record.latestRun().flatMap(RunRecord::termination).orElseThrow();
        assertThat(termination.reason()).isEqualTo(TerminationReason.FAILED);
        assertThat(termination.exitCode()).hasValue(9);
        assertThat(termination.exitSignal()).isEmpty();
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
        store.end(id, Termination.closed());
        store.doom(id);
        store.deleteEnded(id);
        Optional<Long> runs =
                catalog.read(transaction -> transaction.first(row -> row.getLong(1), "SELECT count(*) FROM run"));
        assertThat(runs).contains(0L);
    }

    @Test
    void listsTheNewestFirst() {
        insert("one");
        insert("two");
        assertThat(store.list(SandboxFilter.all()))
                .extracting(SandboxRecord::name)
                .containsExactly("two", "one");
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
