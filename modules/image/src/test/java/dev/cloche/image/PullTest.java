package dev.cloche.image;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.cloche.base.Deadline;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PullTest {
    private static final String LOGIN = "alice:open sesame";

    @TempDir
    Path root;

    private ScriptedRegistry registry;
    private StoreFixture fixture;

    @BeforeEach
    void start() throws IOException {
        registry = new ScriptedRegistry();
        fixture = StoreFixture.in(root);
    }

    @AfterEach
    void stop() {
        fixture.close();
        registry.close();
    }

    @Test
    void layersOfEveryCompressionBecomeOneDisk() throws IOException {
        TestImage image = new TestImage()
                .layer(TestImage.Compression.GZIP, Map.of("bin/sh", "shell"))
                .layer(TestImage.Compression.ZSTD, Map.of("etc/motd", "hello"))
                .layer(TestImage.Compression.NONE, Map.of("etc/issue", "x".repeat(10_000)));
        ImageDisk disk = fixture.acquire(registry.serve("team/app", "1", image), "a");

        assertThat(disk.manifest()).isEqualTo(image.manifestDigest());
        assertThat(disk.config().env()).containsExactly("PATH=/bin", "LANG=C.UTF-8");
        assertThat(disk.config().cmd()).containsExactly("/bin/sh");
        assertThat(disk.config().entrypoint()).isEmpty();
        assertThat(disk.config().workingDir()).isEqualTo("/work");
        assertThat(disk.config().user()).isEqualTo("1000");
        assertThat(disk.config().labels()).containsExactly(Map.entry("purpose", "test"));
        assertThat(disk.config().stopSignal()).isEqualTo("SIGINT");
        assertThat(disk.config().platform()).isEqualTo(Platform.host());
        String manifest = image.manifestDigest().hex();
        assertThat(fixture.files())
                .containsExactlyInAnyOrder(
                        "layers/" + image.diffId(0).hex() + ".v1.erofs",
                        "layers/" + image.diffId(1).hex() + ".v1.erofs",
                        "layers/" + image.diffId(2).hex() + ".v1.erofs",
                        "fsmeta/" + manifest + ".v1.erofs",
                        "vmdk/" + manifest + ".v1.vmdk",
                        "manifests/" + manifest + ".json",
                        "manifests/" + Digest.of(image.configDocument()).hex() + ".json");
        assertThat(fixture.cache.resolve("manifests/" + manifest + ".json")).hasBinaryContent(image.manifestDocument());
        assertThat(Files.readString(disk.vmdk()))
                .contains(manifest)
                .contains(image.diffId(0).hex())
                .contains(image.diffId(2).hex());
    }

    @Test
    void anImageThatIsHereAsksTheRegistryNothing() {
        ImageReference reference = registry.serve("app", "1", small());
        fixture.acquire(reference, "a");
        int before = registry.requests().size();
        fixture.acquire(reference, "b");
        fixture.pull(reference);
        assertThat(registry.requests()).hasSize(before);
    }

    @Test
    void anIndexLeadsToTheHostsPlatformPastAttestations() {
        TestImage wanted = small();
        TestImage foreign = new TestImage().architecture("s390x").layer(TestImage.Compression.GZIP, Map.of("f", "x"));
        registry.serve("app", "wanted", wanted);
        String host = Platform.host().architecture();
        ImageReference reference = registry.document(
                "app",
                "all",
                TestImage.index(List.of(
                        foreign.indexEntry(",\"platform\":{\"os\":\"linux\",\"architecture\":\"s390x\"}"),
                        foreign.indexEntry(",\"platform\":{\"os\":\"linux\",\"architecture\":\"" + host
                                + "\"},\"annotations\":{\"vnd.docker.reference.type\":\"attestation-manifest\"}"),
                        wanted.indexEntry(",\"platform\":{\"os\":\"linux\",\"architecture\":\"" + host + "\"}"))));
        assertThat(fixture.pull(reference).manifest()).isEqualTo(wanted.manifestDigest());
    }

    @Test
    void anImageForOtherPlatformsIsRefusedAndTheMessageNamesThem() {
        TestImage foreign = new TestImage().architecture("s390x").layer(TestImage.Compression.GZIP, Map.of("f", "x"));
        ImageReference listed = registry.document(
                "app",
                "all",
                TestImage.index(
                        List.of(foreign.indexEntry(",\"platform\":{\"os\":\"linux\",\"architecture\":\"s390x\"}"))));
        failsWith(PullFailed.Reason.NO_MATCHING_PLATFORM, () -> fixture.pull(listed), "linux/s390x");
        ImageReference single = registry.serve("app", "single", foreign);
        failsWith(PullFailed.Reason.NO_MATCHING_PLATFORM, () -> fixture.pull(single), "linux/s390x");
    }

    @Test
    void aTokenIsFetchedWithTheLoginAndUsedForTheRest() throws IOException {
        ImageReference reference = registry.serve("team/app", "1", small());
        registry.script(exchange -> {
            String path = exchange.getRequestURI().getPath();
            if (path.equals("/token")) {
                assertThat(exchange.getRequestURI().getQuery()).contains("scope=repository:team/app:pull");
                ScriptedRegistry.body(exchange, "{\"token\":\"t0ken\"}".getBytes(StandardCharsets.UTF_8));
                return true;
            }
            if (!"Bearer t0ken".equals(exchange.getRequestHeaders().getFirst("Authorization"))) {
                exchange.getResponseHeaders()
                        .add(
                                "WWW-Authenticate",
                                "Bearer realm=\"http://" + registry.name()
                                        + "/token\",service=\"s\",scope=\"repository:team/app:pull\"");
                ScriptedRegistry.status(exchange, 401);
                return true;
            }
            return false;
        });
        try (StoreFixture withLogin = new StoreFixture(root.resolve("l"), StoreFixture.quick(Optional.of(login())))) {
            withLogin.pull(reference);
        }
        assertThat(registry.requests("/token"))
                .hasSize(1)
                .allSatisfy(r -> assertThat(r.authorization()).contains("Basic " + base64(LOGIN)));
        assertThat(registry.requests("/blobs/"))
                .allSatisfy(r -> assertThat(r.authorization()).contains("Bearer t0ken"));
    }

    @Test
    void basicAuthenticationIsUsedWhereItIsAskedFor() throws IOException {
        ImageReference reference = registry.serve("app", "1", small());
        registry.script(exchange -> {
            if (exchange.getRequestHeaders().containsKey("Authorization")) {
                return false;
            }
            exchange.getResponseHeaders().add("WWW-Authenticate", "Basic realm=\"registry\"");
            ScriptedRegistry.status(exchange, 401);
            return true;
        });
        failsWith(PullFailed.Reason.UNAUTHORIZED, () -> fixture.pull(reference), "HTTP 401");
        try (StoreFixture withLogin = new StoreFixture(root.resolve("l"), StoreFixture.quick(Optional.of(login())))) {
            withLogin.pull(reference);
        }
    }

    @Test
    void aRedirectToAnotherHostIsFollowedWithoutTheCredentials() throws IOException {
        TestImage image = small();
        ImageReference reference = registry.serve("app", "1", image);
        try (ScriptedRegistry elsewhere = new ScriptedRegistry();
                StoreFixture withLogin =
                        new StoreFixture(root.resolve("l"), StoreFixture.quick(Optional.of(login())))) {
            image.blobs().forEach((digest, blob) -> elsewhere.put("/store/" + digest, blob));
            registry.script(exchange -> {
                if (!exchange.getRequestHeaders().containsKey("Authorization")) {
                    exchange.getResponseHeaders().add("WWW-Authenticate", "Basic realm=\"registry\"");
                    ScriptedRegistry.status(exchange, 401);
                    return true;
                }
                String path = exchange.getRequestURI().getPath();
                if (path.contains("/blobs/")) {
                    String digest = path.substring(path.lastIndexOf('/') + 1);
                    exchange.getResponseHeaders().add("Location", "http://" + elsewhere.name() + "/store/" + digest);
                    ScriptedRegistry.status(exchange, 307);
                    return true;
                }
                return false;
            });
            withLogin.pull(reference);
            assertThat(elsewhere.requests())
                    .hasSize(2)
                    .allSatisfy(r -> assertThat(r.authorization()).isEmpty());
        }
    }

    @Test
    void whoeverItRedirectsToCannotAskForThePassword() throws IOException {
        ImageReference reference = registry.serve("app", "1", small());
        try (ScriptedRegistry thief = new ScriptedRegistry();
                StoreFixture withLogin =
                        new StoreFixture(root.resolve("l"), StoreFixture.quick(Optional.of(login())))) {
            thief.script(exchange -> {
                exchange.getResponseHeaders()
                        .add("WWW-Authenticate", "Bearer realm=\"http://" + thief.name() + "/token\"");
                ScriptedRegistry.status(exchange, 401);
                return true;
            });
            registry.script(exchange -> {
                exchange.getResponseHeaders().add("Location", "http://" + thief.name() + "/steal");
                ScriptedRegistry.status(exchange, 302);
                return true;
            });
            failsWith(PullFailed.Reason.UNAUTHORIZED, () -> withLogin.pull(reference), "HTTP 401");
            assertThat(thief.requests())
                    .hasSize(1)
                    .allSatisfy(r -> assertThat(r.authorization()).isEmpty());
        }
    }

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

    @Test
    void aRetryAfterBeyondTheDeadlineEndsThePull() {
        ImageReference reference = registry.serve("app", "1", small());
        registry.script(exchange -> {
            exchange.getResponseHeaders().add("Retry-After", "3600");
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
        byte[] tar = TestImage.tar(Map.of("noise", noise(300_000)));
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
        TestImage image =
                new TestImage().layer(TestImage.Compression.GZIP, TestImage.tar(Map.of("noise", noise(300_000))));
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

    @Test
    void aBlobOfOtherContentFailsThePullAndLeavesNothingOfIt() throws IOException {
        TestImage image = small();
        ImageReference reference = registry.serve("app", "1", image);
        byte[] wrong = TestImage.compress(TestImage.Compression.GZIP, TestImage.tar(Map.of("bin/sh", "EVIL!")));
        byte[] sameLength = Arrays.copyOf(wrong, image.blob(0).length);
        registry.put("/v2/app/blobs/" + image.blobDigest(0), sameLength);
        failsWith(
                PullFailed.Reason.DIGEST_MISMATCH,
                () -> fixture.pull(reference),
                image.blobDigest(0).toString(),
                Digest.of(sameLength).toString());
        assertThat(fixture.store.list()).isEmpty();
        assertThat(fixture.files()).noneMatch(f -> f.startsWith("layers/") || f.startsWith("tmp/"));
    }

    @Test
    void anArchiveThatIsNotTheOneOfTheConfigFailsThePull() throws IOException {
        byte[] declared = TestImage.tar(Map.of("bin/sh", "shell"));
        byte[] other = TestImage.tar(Map.of("bin/sh", "other"));
        TestImage image =
                new TestImage().dishonestLayer(declared, TestImage.compress(TestImage.Compression.GZIP, other));
        failsWith(
                PullFailed.Reason.DIGEST_MISMATCH,
                () -> fixture.pull(registry.serve("app", "1", image)),
                Digest.of(declared).toString(),
                Digest.of(other).toString());
        assertThat(fixture.files()).noneMatch(f -> f.startsWith("layers/") || f.startsWith("tmp/"));
    }

    @Test
    void aBlobLongerThanItsManifestSaysIsCutOff() {
        TestImage image = small();
        ImageReference reference = registry.serve("app", "1", image);
        byte[] longer = Arrays.copyOf(image.blob(0), image.blob(0).length + 1);
        registry.put("/v2/app/blobs/" + image.blobDigest(0), longer);
        failsWith(PullFailed.Reason.DIGEST_MISMATCH, () -> fixture.pull(reference), "longer than");
    }

    @Test
    void aBlobShorterThanItsManifestSaysFails() {
        TestImage image = small();
        ImageReference reference = registry.serve("app", "1", image);
        registry.put("/v2/app/blobs/" + image.blobDigest(0), Arrays.copyOf(image.blob(0), 40));
        failsWith(PullFailed.Reason.UNREACHABLE, () -> fixture.pull(reference), "40 of " + image.blob(0).length);
    }

    @Test
    void anArchiveThatEndsInTheMiddleIsCorrupt() throws IOException {
        byte[] half = Arrays.copyOf(TestImage.tar(Map.of("noise", noise(4000))), 2000);
        TestImage image = new TestImage().layer(TestImage.Compression.GZIP, half);
        ImageReference reference = registry.serve("app", "1", image);
        assertThatThrownBy(() -> fixture.pull(reference)).isInstanceOf(CorruptArchiveException.class);
        byte[] tar = TestImage.tar(Map.of("noise", noise(4000)));
        byte[] gzip = TestImage.compress(TestImage.Compression.GZIP, tar);
        TestImage cut = new TestImage().dishonestLayer(tar, Arrays.copyOf(gzip, gzip.length / 2));
        ImageReference second = registry.serve("app", "2", cut);
        assertThatThrownBy(() -> fixture.pull(second)).isInstanceOf(CorruptArchiveException.class);
        assertThat(fixture.files()).noneMatch(f -> f.startsWith("layers/") || f.startsWith("tmp/"));
    }

    @Test
    void gzipOfManyMembersIsReadToItsEnd() throws IOException {
        byte[] tar = TestImage.tar(Map.of("noise", noise(200_000)));
        ByteArrayOutputStream members = new ByteArrayOutputStream();
        for (int from = 0; from < tar.length; from += 10_000) {
            byte[] part = Arrays.copyOfRange(tar, from, Math.min(tar.length, from + 10_000));
            members.write(TestImage.compress(TestImage.Compression.GZIP, part));
        }
        TestImage image = new TestImage().dishonestLayer(tar, members.toByteArray());
        fixture.pull(registry.serve("app", "1", image));
    }

    @Test
    void aManifestThatIsNotWhatItsDigestSaysIsRefused() {
        TestImage image = small();
        registry.serve("app", "1", image);
        String path = "/v2/app/manifests/" + image.manifestDigest();
        byte[] forged = "{\"schemaVersion\":2}".getBytes(StandardCharsets.UTF_8);
        registry.put(path, forged);
        ImageReference pinned = ImageReference.parse(registry.name() + "/app@" + image.manifestDigest());
        failsWith(
                PullFailed.Reason.DIGEST_MISMATCH,
                () -> fixture.pull(pinned),
                image.manifestDigest().toString(),
                Digest.of(forged).toString());
    }

    @Test
    void hostileManifestsAreRefused() {
        String deep = "{\"a\":".repeat(200) + "1" + "}".repeat(200);
        for (String document : List.of(
                "no json",
                "[]",
                deep,
                "{\"schemaVersion\":1}",
                "{\"schemaVersion\":2,\"manifests\":[],\"layers\":[]}",
                "{\"schemaVersion\":2,\"schemaVersion\":2,\"manifests\":[]}",
                "{\"schemaVersion\":2,\"config\":{\"digest\":\"sha256:../../etc\",\"size\":1},\"layers\":[]}",
                " ".repeat((4 << 20) + 1))) {
            ImageReference reference = registry.document("app", "bad", document.getBytes(StandardCharsets.UTF_8));
            failsWith(PullFailed.Reason.BAD_CONTENT, () -> fixture.pull(reference), "cannot be");
        }
    }

    @Test
    void aConfigFieldThatCannotBeReadIsAWarning() {
        TestImage image = small().config("\"Env\":[\"A=1\",\"nonsense\"],\"Cmd\":\"not a list\",\"User\":7");
        List<String> warnings = new ArrayList<>();
        ImageReference reference = registry.serve("app", "1", image);
        fixture.store.pull(
                reference,
                PullPolicy.MISSING,
                event -> {
                    if (event instanceof PullEvent.Warning(String text)) {
                        warnings.add(text);
                    }
                },
                StoreFixture.soon());
        assertThat(warnings).hasSize(3);
        assertThat(fixture.acquire(reference, "a").config().env()).containsExactly("A=1");
    }

    @Test
    void absentImagesAndRegistriesAreToldApart() {
        failsWith(
                PullFailed.Reason.NOT_FOUND,
                () -> fixture.pull(ImageReference.parse(registry.name() + "/absent")),
                "HTTP 404");
        ImageReference nobody = ImageReference.parse("127.0.0.1:1/app");
        failsWith(PullFailed.Reason.UNREACHABLE, () -> fixture.pull(nobody), "127.0.0.1:1");
    }

    private Path login() throws IOException {
        Path config = root.resolve("config.json");
        Files.writeString(config, "{\"auths\":{\"" + registry.name() + "\":{\"auth\":\"" + base64(LOGIN) + "\"}}}");
        return config;
    }

    private static TestImage small() {
        return new TestImage().layer(TestImage.Compression.GZIP, Map.of("bin/sh", "shell"));
    }

    private static void failsWith(PullFailed.Reason reason, ThrowingCallable pull, String... parts) {
        assertThatThrownBy(pull)
                .isInstanceOfSatisfying(
                        PullFailed.class,
                        e -> assertThat(e.reason()).as(e.getMessage()).isEqualTo(reason))
                .hasMessageContainingAll(parts);
    }

    private static String noise(int length) {
        StringBuilder text = new StringBuilder(length);
        new Random(42).ints(length, ' ', '~').forEach(c -> text.append((char) c));
        return text.toString();
    }

    private static String base64(String text) {
        return Base64.getEncoder().encodeToString(text.getBytes(StandardCharsets.UTF_8));
    }
}
