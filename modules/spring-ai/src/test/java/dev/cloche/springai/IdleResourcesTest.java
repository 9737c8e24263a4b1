package dev.cloche.springai;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

class IdleResourcesTest {
    private static final Duration IDLE = Duration.ofMinutes(10);

    private final List<Resource> made = new ArrayList<>();
    private Instant now = Instant.EPOCH;
    private boolean refuse;

    private final IdleResources<Resource> resources =
            new IdleResources<>(this::make, resource -> resource.alive, IDLE, () -> now);

    private Resource make() {
        if (refuse) {
            throw new IllegalStateException("refused");
        }
        Resource resource = new Resource();
        made.add(resource);
        return resource;
    }

    private static final class Resource implements AutoCloseable {
        boolean alive = true;
        int closes;

        @Override
        public void close() {
            closes++;
        }
    }

    private Resource use(String key) {
        return resources.use(key, resource -> resource);
    }

    private void passes(Duration time) {
        now = now.plus(time);
        resources.closeIdle();
    }

    @Test
    void eachKeyHasOneOfItsOwnUntilItIsIdle() {
        Resource first = use("first");
        Resource second = use("second");
        assertThat(first).isNotSameAs(second);

        passes(IDLE.minusNanos(1));
        assertThat(use("first")).isSameAs(first);
        passes(Duration.ofNanos(1));

        assertThat(first.closes).isZero();
        assertThat(second.closes).isOne();
        assertThat(use("second")).isNotSameAs(second);
        passes(IDLE);
        assertThat(made).extracting(resource -> resource.closes).containsExactly(1, 1, 1);
    }

    @Test
    void oneInUseIsNotIdleAndItsTimeBeginsWithTheEndOfTheUse() {
        Resource used = resources.use("key", resource -> {
            passes(IDLE.multipliedBy(2));
            return resource;
        });
        passes(IDLE.minusNanos(1));
        assertThat(used.closes).isZero();
        passes(Duration.ofNanos(1));
        assertThat(used.closes).isOne();
    }

    @Test
    void oneThatHasEndedByItselfIsReplaced() {
        Resource first = use("key");
        first.alive = false;
        assertThat(use("key")).isNotSameAs(first);
        assertThat(first.closes).isOne();
        assertThat(made).hasSize(2);
    }

    @Test
    void aFailureToMakeOneIsTheCallersAndTheNextUseTriesAgain() {
        refuse = true;
        assertThatThrownBy(() -> use("key")).hasMessage("refused");
        refuse = false;
        assertThat(use("key").closes).isZero();
    }

    @Test
    void usesOfOneKeyRunSideBySideWithTheSame() throws Exception {
        CountDownLatch both = new CountDownLatch(2);
        List<CompletableFuture<Resource>> uses = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            uses.add(CompletableFuture.supplyAsync(
                    () -> resources.use("key", resource -> {
                        both.countDown();
                        await(both);
                        return resource;
                    }),
                    task -> Thread.ofVirtual().start(task)));
        }
        assertThat(uses.getFirst().get()).isSameAs(uses.getLast().get());
        assertThat(made).hasSize(1);
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void anEndedKeyHasANewOneAndNothingIsLeftWhenAllIsClosed() {
        Resource first = use("key");
        resources.end("key");
        resources.end("none");
        assertThat(first.closes).isOne();
        Resource second = use("key");
        Resource other = use("other");

        resources.close();

        assertThat(List.of(first, second, other))
                .extracting(resource -> resource.closes)
                .containsOnly(1);
        assertThatThrownBy(() -> use("key")).isInstanceOf(ConversationException.Closed.class);
        assertThat(made).hasSize(3);
    }

    @Test
    void oneThatIsEndedWhileItIsUsedIsNotThereForTheNextUse() {
        Resource used = resources.use("key", resource -> {
            resources.end("key");
            return resource;
        });
        assertThat(used.closes).isOne();
        assertThat(use("key")).isNotSameAs(used);
    }
}
