package dev.cloche.image;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.io.IOException;
import java.io.OutputStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What can go wrong with a registry's bytes, and that nobody has to read a stack trace for it. */
class RegistryFaultsTest {
    private static final int TRIES = 3;

    /** Long enough for an answer on a busy machine. */
    private static final Duration SHORT = Duration.ofSeconds(1);

    @TempDir
    Path root;

    private RawRegistry registry;
    private StoreFixture store;
    private TestImage image;
    private ImageReference reference;
    private String blob;
    private final CountDownLatch end = new CountDownLatch(1);

    @BeforeEach
    void start() throws IOException {
        registry = new RawRegistry();
        store = new StoreFixture(root, patient(TRIES, Duration.ofSeconds(20)));
        image = new TestImage().layer(TestImage.Compression.NONE, TestImage.tar(Map.of("noise", noise(1_000_000))));
        reference = registry.serve(image);
        blob = image.blobDigest(0).toString();
    }

    @AfterEach
    void stop() throws IOException {
        end.countDown();
        store.close();
        registry.close();
    }

    @Test
    void aConnectionThatIsCutAgainAndAgainIsResumedAsLongAsItBringsSomething() {
        registry.fault(blob, (out, content, from) -> {
            out.write(RawRegistry.head(
                    from == 0 ? "HTTP/1.1 200 OK" : "HTTP/1.1 206 Partial Content",
                    "Content-Length: " + (content.length - from),
                    "Content-Range: bytes " + from + "-" + (content.length - 1) + "/" + content.length));
            out.write(content, from, Math.min(200_000, content.length - from));
        });
        pulls();
        assertThat(registry.requests(blob)).hasSizeGreaterThan(TRIES);
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
    void aDrippingRegistryIsNotWaitedFor() {
        reopen(TRIES, SHORT);
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
        byte[] tar = TestImage.tar(Map.of("noise", noise(100_000)));
        byte[] gzip = TestImage.compress(TestImage.Compression.GZIP, tar);
        TestImage cut = new TestImage().dishonestLayer(tar, Arrays.copyOf(gzip, gzip.length - 20));
        ImageException failure = catchThrowableOfType(ImageException.class, () -> store.pull(registry.serve(cut)));
        assertThat(failure).isInstanceOf(CorruptArchiveException.class).hasMessageContaining("compression is damaged");
        nothingIsLeft(failure);
    }

    @Test
    void anEndlessManifestIsCutOff() {
        registry.fault("/manifests/1", (out, _, _) -> {
            out.write(RawRegistry.head("HTTP/1.1 200 OK", "Connection: close"));
            endless(out);
        });
        fails(PullFailed.Reason.BAD_CONTENT, "longer than 4194304 bytes");
        assertThat(registry.requests("/manifests/")).hasSize(1);
    }

    @Test
    void anEndlessHeadIsCutOff() {
        registry.fault("/manifests/1", (out, _, _) -> {
            out.write("HTTP/1.1 200 OK\r\n".getBytes(StandardCharsets.US_ASCII));
            while (true) {
                out.write(("X-Filler: " + "x".repeat(1000) + "\r\n").getBytes(StandardCharsets.US_ASCII));
            }
        });
        fails(PullFailed.Reason.UNREACHABLE, "fetch the manifest app:1");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "no http at all\u001b[2J\r\n\r\n",
                "HTTP/1.1 odd\r\n\r\n",
                "HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\n"
            })
    void whatIsNoHttpIsReportedWithoutItsControlCharacters(String answer) {
        registry.fault("/manifests/1", (out, _, _) -> out.write(answer.getBytes(StandardCharsets.ISO_8859_1)));
        fails(PullFailed.Reason.UNREACHABLE, "fetch the manifest app:1");
    }

    @Test
    void aMediaTypeThatContradictsTheDocumentIsRefused() {
        registry.fault("/manifests/1", (out, content, _) -> {
            byte[] unnamed = new String(content, StandardCharsets.UTF_8)
                    .replaceFirst("\"mediaType\":\"[^\"]*\",", "")
                    .getBytes(StandardCharsets.UTF_8);
            out.write(RawRegistry.head(
                    "HTTP/1.1 200 OK",
                    "Content-Type: " + ManifestDocument.OCI_INDEX,
                    "Content-Length: " + unnamed.length));
            out.write(unnamed);
        });
        fails(PullFailed.Reason.BAD_CONTENT, "media type does not fit");
    }

    @Test
    void aLayersMediaTypeMayBeWrongAboutItsCompression() {
        byte[] tar = TestImage.tar(Map.of("a", "1"));
        TestImage zstd = new TestImage()
                .dishonestLayer(tar, TestImage.compress(TestImage.Compression.ZSTD, tar))
                .dishonestLayer(TestImage.tar(Map.of("b", "2")), TestImage.tar(Map.of("b", "2")));
        assertThat(store.pull(registry.serve(zstd)).manifest()).isEqualTo(zstd.manifestDigest());
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "{\"token\":\"hunter2 \\r\\nX: y\"}", "{\"token\":hunter2}", "{}", "[]"})
    void aBadTokenIsRefusedAtOnceAndNotQuoted(String answer) {
        askForToken("http://" + registry.name() + "/token");
        registry.fault(
                "/token?scope=repository%3Aapp%3Apull",
                (out, _, _) -> {
                    byte[] body = answer.getBytes(StandardCharsets.UTF_8);
                    out.write(RawRegistry.head("HTTP/1.1 200 OK", "Content-Length: " + body.length));
                    out.write(body);
                });
        ImageException failure = fails(PullFailed.Reason.SERVER_ERROR, "token server 127.0.0.1");
        assertThat(failure).message().doesNotContain("hunter2");
        assertThat(failure).hasNoCause();
        assertThat(registry.requests("/token")).hasSize(1);
    }

    @Test
    void anEndlessTokenIsCutOff() {
        askForToken("http://" + registry.name() + "/token");
        registry.fault(
                "/token?scope=repository%3Aapp%3Apull",
                (out, _, _) -> {
                    out.write(RawRegistry.head("HTTP/1.1 200 OK", "Connection: close"));
                    endless(out);
                });
        fails(PullFailed.Reason.SERVER_ERROR, "more than 65536 bytes");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "http://registry.example/token",
                "file:///etc/passwd",
                "https://u:p@registry.example/",
                "",
                "https://",
                "http://[",
                "ftp://127.0.0.1/"
            })
    void aTokenServerIsOnlyAskedWhereItMayBe(String realm) {
        askForToken(realm);
        fails(PullFailed.Reason.SERVER_ERROR, "token server cannot be asked");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "http://registry.example/x",
                "file:///etc/passwd",
                "https://u:p@registry.example/",
                "http://[",
                "ftp://127.0.0.1/"
            })
    void aRedirectLeadsOnlyWhereItMay(String location) {
        registry.fault(
                blob,
                (out, _, _) -> out.write(RawRegistry.head(
                        "HTTP/1.1 307 Temporary Redirect", "Location: " + location, "Content-Length: 0")));
        fails(PullFailed.Reason.SERVER_ERROR, "it points to");
        assertThat(registry.requests(blob)).hasSize(1);
    }

    @Test
    void tlsIsNotGivenUpByARedirectNotEvenToLoopback() {
        RegistryOptions options =
                patient(1, Duration.ofSeconds(20)).registries().get();
        RegistryHost host = RegistryHost.of("registry.example", Set.of());
        try (RegistryHttp http = new RegistryHttp(host, options, StoreFixture.soon())) {
            BadAnswer refused = catchThrowableOfType(
                    BadAnswer.class,
                    () -> http.permitted(URI.create("https://registry.example/x"), "http://127.0.0.1/x"));
            assertThat(refused).hasMessageContaining("without TLS");
        }
    }

    @Test
    void aCircleOfRedirectsEnds() {
        registry.fault(
                blob,
                (out, _, _) -> out.write(RawRegistry.head(
                        "HTTP/1.1 302 Found", "Location: /v2/app/blobs/" + blob, "Content-Length: 0")));
        fails(PullFailed.Reason.SERVER_ERROR, "redirects more than 5 times");
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

    private void reopen(int tries, Duration stall) {
        store.close();
        store = new StoreFixture(root, patient(tries, stall));
    }

    private void askForToken(String realm) {
        registry.fault(
                "/manifests/1",
                (out, _, _) -> out.write(RawRegistry.head(
                        "HTTP/1.1 401 Unauthorized",
                        "WWW-Authenticate: Bearer realm=\"" + realm + "\"",
                        "Content-Length: 0")));
    }

    private void pulls() {
        assertThat(store.pull(reference).manifest()).isEqualTo(image.manifestDigest());
    }

    private PullFailed fails(PullFailed.Reason reason, String... parts) {
        PullFailed failure = catchThrowableOfType(PullFailed.class, () -> store.pull(reference));
        assertThat(failure).isNotNull();
        assertThat(failure.reason()).as(failure.getMessage()).isEqualTo(reason);
        assertThat(failure).hasMessageContainingAll(parts);
        nothingIsLeft(failure);
        return failure;
    }

    private void nothingIsLeft(ImageException failure) {
        assertThat(failure.getMessage()).endsWith(".").doesNotContainPattern("\\p{Cntrl}");
        assertThat(failure.remedy()).isNotEmpty();
        assertThat(store.store.list()).isEmpty();
        try {
            assertThat(store.files()).allMatch(file -> file.startsWith("manifests/"));
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private static void endless(OutputStream out) throws IOException {
        byte[] filler = " ".repeat(65_536).getBytes(StandardCharsets.US_ASCII);
        while (true) {
            out.write(filler);
        }
    }

    private static ImageStoreOptions patient(int tries, Duration stall) {
        ImageStoreOptions quick = StoreFixture.quick(Optional.empty());
        return quick.withRegistries(new RegistryOptions(
                Set.of(), Map.of(), List.of(), LoginSources.NONE, tries, Duration.ofMillis(1), stall));
    }

    private static String noise(int length) {
        StringBuilder text = new StringBuilder(length);
        new Random(42).ints(length, ' ', '~').forEach(c -> text.append((char) c));
        return text.toString();
    }
}
