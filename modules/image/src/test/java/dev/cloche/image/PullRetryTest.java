package dev.cloche.image;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.cloche.base.Deadline;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Pulls that go on where a registry makes them wait, or breaks off. */
class PullRetryTest extends OnScriptedRegistry {
    @Test
    void rateLimitsAndServerErrorsAreWaitedOut() {
        ImageReference reference = registry.serve("app", "1", small());
        AtomicInteger count = new AtomicInteger();
        registry.script(exchange -> {
            int status = switch (count.incrementAndGet()) {
                case 1 -> 429;
                case 2 -> 503;
                default -> 0;
            };
            if (status == 0) {
                return false;
            }
            exchange.getResponseHeaders().add("Retry-After", "0");
            ScriptedRegistry.status(exchange, status);
            return true;
        });
        fixture.pull(reference);
        assertThat(registry.requests("/manifests/")).hasSize(3);
    }

    @Test
    void aRateLimitThatStaysIsReportedAsOne() {
        ImageReference reference = registry.serve("app", "1", small());
        registry.script(exchange -> {
            ScriptedRegistry.status(exchange, 429);
            return true;
        });
        failsWith(PullFailed.Reason.RATE_LIMITED, () -> fixture.pull(reference), "HTTP 429");
    }

    @ParameterizedTest
    @ValueSource(strings = {"61", "86400", "99999999999999999999", "Tue, 31 Dec 2999 00:00:00 GMT"})
    void aRegistryThatWantsToBeLeftAloneForLongIsNotAskedAgain(String after) {
        ImageReference reference = registry.serve("app", "1", small());
        registry.script(exchange -> {
            exchange.getResponseHeaders().add("Retry-After", after);
            ScriptedRegistry.status(exchange, 429);
            return true;
        });
        failsWith(PullFailed.Reason.RATE_LIMITED, () -> fixture.pull(reference), "left alone for");
        assertThat(registry.requests()).hasSize(1);
    }

    @Test
    void aRetryAfterBeyondTheDeadlineEndsThePull() {
        ImageReference reference = registry.serve("app", "1", small());
        registry.script(exchange -> {
            exchange.getResponseHeaders().add("Retry-After", "50");
            ScriptedRegistry.status(exchange, 429);
            return true;
        });
        failsWith(
                PullFailed.Reason.GAVE_UP,
                () -> fixture.store.pull(
                        reference, PullPolicy.MISSING, PullListener.none(), Deadline.after(Duration.ofSeconds(5))),
                "deadline");
    }

    @Test
    void aBrokenDownloadCarriesOnWhereItWas() {
        byte[] tar = TestImage.tar(Map.of("noise", TestImage.noise(300_000)));
        TestImage image = new TestImage().layer(TestImage.Compression.GZIP, tar);
        ImageReference reference = registry.serve("app", "1", image);
        String blob = "/v2/app/blobs/" + image.blobDigest(0);
        AtomicInteger tries = new AtomicInteger();
        List<Long> progress = new CopyOnWriteArrayList<>();
        registry.script(exchange -> {
            if (exchange.getRequestURI().getPath().equals(blob) && tries.incrementAndGet() == 1) {
                ScriptedRegistry.cut(exchange, image.blob(0), 100_000, () -> await().until(() -> !progress.isEmpty()));
            }
            return false;
        });
        fixture.store.pull(
                reference,
                PullPolicy.MISSING,
                event -> {
                    if (event instanceof PullEvent.Progress(Digest layer, long bytes, long total)) {
                        assertThat(layer).isEqualTo(image.blobDigest(0));
                        assertThat(total).isEqualTo(image.blob(0).length);
                        progress.add(bytes);
                    }
                },
                StoreFixture.soon());
        List<ScriptedRegistry.Request> asked = registry.requests(blob);
        assertThat(asked).hasSize(2);
        long resumedAt = Long.parseLong(asked.getLast().range().orElseThrow().replaceAll("\\D", ""));
        assertThat(resumedAt).isBetween(1L, 100_000L);
        assertThat(progress).isSorted().endsWith((long) image.blob(0).length);
    }

    @Test
    void aRegistryThatIgnoresRangesStillGivesTheRightBytes() {
        TestImage image = new TestImage()
                .layer(TestImage.Compression.GZIP, TestImage.tar(Map.of("noise", TestImage.noise(300_000))));
        ImageReference reference = registry.serve("app", "1", image);
        AtomicInteger tries = new AtomicInteger();
        registry.script(exchange -> {
            if (!exchange.getRequestURI().getPath().endsWith(image.blobDigest(0).toString())) {
                return false;
            }
            if (tries.incrementAndGet() == 1) {
                ScriptedRegistry.cut(exchange, image.blob(0), 50_000);
            }
            ScriptedRegistry.body(exchange, image.blob(0));
            return true;
        });
        fixture.pull(reference);
        assertThat(tries).hasValue(2);
    }
}
