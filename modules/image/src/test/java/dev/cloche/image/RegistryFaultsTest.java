package dev.cloche.image;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.io.IOException;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What can go wrong with a registry's bytes on their way, and that the error says it without a stack trace. */
class RegistryFaultsTest extends OnRawRegistry {
    @Test
    void aConnectionThatIsCutAgainAndAgainIsResumedAsLongAsItBringsSomething() {
        registry.fault(blob, (out, content, from) -> {
            out.write(RawRegistry.head(
                    from == 0 ? "HTTP/1.1 200 OK" : "HTTP/1.1 206 Partial Content",
                    "Content-Length: " + (content.length - from),
                    "Content-Range: bytes " + from + "-" + (content.length - 1) + "/" + content.length));
            out.write(content, from, Math.min(20_000, content.length - from));
        });
        pulls();
        // What has arrived is not asked for again.
        assertThat(registry.requests(blob)).hasSize(Math.ceilDiv(image.blob(0).length, 20_000));
    }

    @Test
    void aSilentRegistryIsLeftAndAskedForTheRest() {
        reopen(TRIES, SHORT);
        AtomicInteger count = new AtomicInteger();
        registry.fault(blob, (out, content, from) -> {
            if (count.incrementAndGet() > 1) {
                RawRegistry.properly(out, content, from);
                return;
            }
            out.write(RawRegistry.head("HTTP/1.1 200 OK", "Content-Length: " + content.length));
            out.write(content, 0, 100_000);
            out.flush();
            end.await();
        });
        pulls();
        assertThat(count).hasValueGreaterThan(1);
    }

    @Test
    void aRegistryThatStallsIsSaidToDoSoAndThatItIsAskedAgain() {
        reopen(TRIES, LONGER);
        AtomicInteger manifests = new AtomicInteger();
        registry.fault("/manifests/1", (out, content, from) -> {
            if (manifests.incrementAndGet() > 1) {
                RawRegistry.properly(out, content, from);
                return;
            }
            end.await();
        });
        AtomicInteger blobs = new AtomicInteger();
        registry.fault(blob, (out, content, from) -> {
            if (blobs.incrementAndGet() > 1) {
                RawRegistry.properly(out, content, from);
                return;
            }
            out.write(RawRegistry.head("HTTP/1.1 200 OK", "Content-Length: " + content.length));
            out.write(content, 0, 100_000);
            out.flush();
            end.await();
        });
        List<String> heard = new CopyOnWriteArrayList<>();
        store.store.pull(
                reference,
                PullPolicy.MISSING,
                event -> {
                    if (event instanceof PullEvent.Warning(String text)) {
                        heard.add(text);
                    }
                },
                StoreFixture.soon());
        assertThat(heard)
                .anyMatch(text ->
                        text.contains("fetch the manifest app:1") && text.contains("trying again, 2 of " + TRIES))
                .anyMatch(text -> text.contains("fetch the blob") && text.contains("trying again, 2 of " + TRIES));
        // A thread of its own says it. Other answers may have been as late, on a host that is busy.
        Awaitility.await()
                .untilAsserted(() -> assertThat(heard)
                        .filteredOn(text -> text.contains(registry.name() + " has sent nothing for "))
                        .hasSizeGreaterThanOrEqualTo(2));
    }

    @Test
    void aDrippingRegistryIsNotWaitedFor() {
        reopen(TRIES, LONGER);
        registry.fault(blob, (out, content, from) -> {
            out.write(RawRegistry.head("HTTP/1.1 200 OK", "Content-Length: " + content.length));
            for (byte drop : content) {
                out.write(drop);
                out.flush();
                if (end.await(20, java.util.concurrent.TimeUnit.MILLISECONDS)) {
                    return;
                }
            }
        });
        fails(PullFailed.Reason.UNREACHABLE, "less than 1024 bytes a second");
        assertThat(registry.requests(blob)).hasSizeGreaterThanOrEqualTo(TRIES);
    }

    @Test
    void aRegistryThatNeverAnswersIsUnreachable() {
        reopen(TRIES, SHORT);
        registry.fault("/manifests/1", (_, _, _) -> end.await());
        fails(PullFailed.Reason.UNREACHABLE, "fetch the manifest app:1");
    }

    @Test
    void aManifestThatAnnouncesMoreThanOneMayHaveIsRefusedAtOnce() {
        registry.fault("/manifests/1", (out, _, _) -> {
            out.write(RawRegistry.head("HTTP/1.1 200 OK", "Content-Length: " + (1L << 60)));
            out.flush();
            end.await();
        });
        fails(PullFailed.Reason.BAD_CONTENT, "1152921504606846976 bytes");
        assertThat(registry.requests("/manifests/1")).hasSize(1);
    }

    @Test
    void aLengthThatPromisesTooMuchDoesNoHarmIfAllIsThere() {
        registry.fault(blob, (out, content, from) -> {
            out.write(RawRegistry.head("HTTP/1.1 200 OK", "Content-Length: " + (content.length + 100)));
            out.write(content);
        });
        pulls();
        assertThat(registry.requests(blob)).hasSize(1);
    }

    @Test
    void aLengthThatPromisesTooLittleIsMadeUpByTheRest() {
        AtomicInteger count = new AtomicInteger();
        registry.fault(blob, (out, content, from) -> {
            if (count.incrementAndGet() > 1) {
                RawRegistry.properly(out, content, from);
                return;
            }
            out.write(RawRegistry.head("HTTP/1.1 200 OK", "Content-Length: 90000"));
            out.write(content);
        });
        pulls();
        assertThat(count).hasValue(2);
    }

    @Test
    void aBlobThatIsShorterThanItsManifestSaysIsNotAskedForAgainAndAgain() {
        registry.fault(blob, (out, content, from) -> {
            if (from > 0) {
                out.write(RawRegistry.head("HTTP/1.1 416 Range Not Satisfiable", "Content-Length: 0"));
            } else {
                RawRegistry.properly(out, Arrays.copyOf(content, 70_000), 0);
            }
        });
        fails(PullFailed.Reason.DIGEST_MISMATCH, "ends after 70000 bytes");
        assertThat(registry.requests(blob)).hasSize(2);
    }

    @Test
    void anEndlessBlobIsCutOff() {
        registry.fault(blob, (out, content, _) -> {
            out.write(RawRegistry.head("HTTP/1.1 200 OK", "Connection: close"));
            out.write(content);
            endless(out);
        });
        fails(PullFailed.Reason.DIGEST_MISMATCH, "longer than the " + image.blob(0).length);
    }

    @Test
    void anAnswerToAnotherRangeIsNotTaken() {
        registry.fault(blob, (out, content, from) -> {
            if (from == 0) {
                out.write(RawRegistry.head("HTTP/1.1 200 OK", "Content-Length: " + content.length));
                out.write(content, 0, 70_000);
            } else {
                out.write(RawRegistry.head(
                        "HTTP/1.1 206 Partial Content",
                        "Content-Length: 10",
                        "Content-Range: bytes 0-9/" + content.length));
                out.write(content, 0, 10);
            }
        });
        fails(PullFailed.Reason.UNREACHABLE, "asked for the bytes from 70000");
    }

    @Test
    void aTruncatedGzipIsCorruptAlthoughItsDigestIsRight() throws IOException {
        byte[] tar = TestImage.tar(Map.of("noise", TestImage.noise(100_000)));
        byte[] gzip = TestImage.compress(TestImage.Compression.GZIP, tar);
        TestImage cut = new TestImage().dishonestLayer(tar, Arrays.copyOf(gzip, gzip.length - 20));
        ImageException failure = catchThrowableOfType(ImageException.class, () -> store.pull(registry.serve(cut)));
        assertThat(failure).isInstanceOf(CorruptArchiveException.class).hasMessageContaining("compression is damaged");
        nothingIsLeft(failure);
    }

    @ParameterizedTest
    @ValueSource(ints = {408, 500, 502, 503, 504})
    void aFailingRegistryIsTriedAFewTimes(int status) {
        registry.fault(
                blob, (out, _, _) -> out.write(RawRegistry.head("HTTP/1.1 " + status + " Odd", "Content-Length: 0")));
        fails(PullFailed.Reason.SERVER_ERROR, "(HTTP " + status + ")");
        assertThat(registry.requests(blob)).hasSize(TRIES);
    }

    @Test
    void aRateLimitSaysHowLongTheRegistryWantsToBeLeftAlone() {
        registry.fault(
                blob,
                (out, _, _) -> out.write(
                        RawRegistry.head("HTTP/1.1 429 Too Many Requests", "Retry-After: 7", "Content-Length: 0")));
        reopen(1, Duration.ofSeconds(20));
        fails(PullFailed.Reason.RATE_LIMITED, "left alone for 7 s");
    }

    @ParameterizedTest
    @ValueSource(ints = {400, 401, 403, 404, 410, 418})
    void whatWillNotChangeIsNotAskedAgain(int status) {
        registry.fault(
                blob, (out, _, _) -> out.write(RawRegistry.head("HTTP/1.1 " + status + " Odd", "Content-Length: 0")));
        PullFailed.Reason reason = switch (status) {
            case 401, 403 -> PullFailed.Reason.UNAUTHORIZED;
            case 404 -> PullFailed.Reason.NOT_FOUND;
            default -> PullFailed.Reason.SERVER_ERROR;
        };
        fails(reason, "(HTTP " + status + ")");
        assertThat(registry.requests(blob)).hasSize(1);
    }
}
