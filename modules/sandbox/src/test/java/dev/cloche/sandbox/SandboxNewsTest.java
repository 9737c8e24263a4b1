package dev.cloche.sandbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cloche.base.Deadline;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;

/** How sandboxes are found, waited for and heard of. */
class SandboxNewsTest extends OnTestHost {
    @Test
    void isFoundByItsNewNameOnly() {
        host.startDetached(TestHost.named("a", "sleep", "1000"));
        host.create(TestHost.named("taken"));
        sandboxes.rename("a", "b");
        assertThatThrownBy(() -> sandboxes.get("a")).isInstanceOf(SandboxException.NotFound.class);
        assertThat(sandboxes.get("b").directory()).startsWith("a-");
        assertThatThrownBy(() -> sandboxes.rename("b", "taken")).isInstanceOf(SandboxException.NameInUse.class);
        assertThatThrownBy(() -> sandboxes.rename("b", "B")).isInstanceOf(SandboxException.InvalidSpecification.class);
        sandboxes.rename("b", "b");
        sandboxes.remove("b", true, TestHost.soon());
        sandboxes.remove("taken", false, TestHost.soon());
        host.assertNothingLeft();
    }

    @Test
    void isFoundByStatusLabelAndImagePageByPage() {
        for (int i = 0; i < 5; i++) {
            host.create(TestHost.named("c" + i).withLabels(Map.of("team", i % 2 == 0 ? "even" : "odd", "n", "" + i)));
        }
        host.create(TestHost.spec(Optional.of("tool"), "tool"));
        SandboxFilter even = SandboxFilter.all().withLabels(Map.of("team", Optional.of("even")));
        SandboxPage first = sandboxes.list(even.withLimit(2));
        assertThat(first.sandboxes()).extracting(SandboxRecord::name).containsExactly("c4", "c2");
        SandboxPage second =
                sandboxes.list(even.withLimit(2).withBefore(first.next().orElseThrow()));
        assertThat(second.sandboxes()).extracting(SandboxRecord::name).containsExactly("c0");
        assertThat(second.next()).isEmpty();
        assertThat(names(SandboxFilter.all().withImage("tool"))).containsExactly("tool");
        assertThat(names(SandboxFilter.all()
                        .withLabels(Map.of("n", Optional.empty()))
                        .withStatuses(EnumSet.of(SandboxStatus.CREATED))))
                .containsExactly("c4", "c3", "c2", "c1", "c0");
        assertThat(names(SandboxFilter.all().withStatuses(EnumSet.of(SandboxStatus.RUNNING))))
                .isEmpty();
        assertThat(sandboxes.inspect("c3").labels()).isEqualTo(Map.of("team", "odd", "n", "3"));
    }

    @Test
    void aWaitEndsWithTheStatusAndSaysWhy() throws Exception {
        host.startDetached(TestHost.named("a", "sleep", "1000"));
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
                TestHost.Opened other = host.runtime()) {
            Future<Optional<StatusReached>> wait = threads.submit(() -> other.sandboxes()
                    .await("a", EnumSet.of(SandboxStatus.STOPPED, SandboxStatus.CRASHED), TestHost.soon()));
            sandboxes.kill("a", TestHost.soon());
            StatusReached reached = wait.get().orElseThrow();
            assertThat(reached.status()).isEqualTo(SandboxStatus.STOPPED);
            assertThat(reached.termination().orElseThrow().reason()).isEqualTo(TerminationReason.SIGNAL);
        }
        assertThat(sandboxes.await("a", EnumSet.of(SandboxStatus.STOPPED), TestHost.soon()))
                .isPresent();
        assertThatThrownBy(() ->
                        sandboxes.await("a", EnumSet.of(SandboxStatus.RUNNING), Deadline.after(Duration.ofMillis(1))))
                .isInstanceOf(SandboxException.WaitTooLong.class);
    }

    @Test
    void whatHappensIsToldInOrderAcrossRuntimes() throws Exception {
        try (TestHost.Opened other = host.runtime();
                SandboxEvents.Stream events = other.sandboxes().events().from(Optional.empty())) {
            host.create(TestHost.named("a", "sleep", "1000"));
            host.startAgain("a");
            sandboxes.pause("a", TestHost.soon());
            sandboxes.resume("a", TestHost.soon());
            sandboxes.rename("a", "b");
            sandboxes.kill("b", TestHost.soon());
            sandboxes.remove("b", false, TestHost.soon());
            for (SandboxEvent.Kind kind : List.of(
                    SandboxEvent.Kind.CREATED,
                    SandboxEvent.Kind.STARTING,
                    SandboxEvent.Kind.RUNNING,
                    SandboxEvent.Kind.PAUSED,
                    SandboxEvent.Kind.RESUMED,
                    SandboxEvent.Kind.RENAMED,
                    SandboxEvent.Kind.DRAINING,
                    SandboxEvent.Kind.STOPPED,
                    SandboxEvent.Kind.REMOVED)) {
                SandboxEvent event = events.next(TestHost.soon()).orElseThrow();
                assertThat(event.kind()).isEqualTo(kind);
                if (kind == SandboxEvent.Kind.STOPPED) {
                    assertThat(event.termination().orElseThrow().reason()).isEqualTo(TerminationReason.SIGNAL);
                }
            }
            assertThat(events.next(Deadline.after(Duration.ZERO))).isEmpty();
        }
    }

    private List<String> names(SandboxFilter filter) {
        return sandboxes.list(filter).sandboxes().stream()
                .map(SandboxRecord::name)
                .toList();
    }
}
