package dev.cloche.image;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Images that are not what their names, digests or manifests say. */
class PullRefusalTest extends OnScriptedRegistry {
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
    void nothingIsBroughtWhereNoMoreOfTheDiskIsToBeTaken() throws IOException {
        ImageReference reference = registry.serve("app", "1", small());
        ImageStoreOptions low = StoreFixture.quick(Optional.empty()).withRoom(() -> {
            throw new IllegalStateException("it is low");
        });
        try (StoreFixture other = new StoreFixture(fixture.root.resolve("other"), low)) {
            assertThatThrownBy(() -> other.pull(reference)).hasMessage("it is low");
            assertThat(other.files()).isEmpty();
        }
    }

    @Test
    void aPullThatFailsLeavesNoDocument() throws IOException {
        TestImage image = small();
        ImageReference reference = registry.serve("app", "1", image);
        registry.put("/v2/app/blobs/" + image.blobDigest(0), new byte[10]);
        assertThatThrownBy(() -> fixture.pull(reference)).isInstanceOf(PullFailed.class);
        assertThat(fixture.files()).isEmpty();
    }

    @Test
    void aPullThatFailsLeavesTheDocumentsOfAnImageThatIsHere() throws IOException {
        TestImage image = small();
        ImageReference reference = registry.serve("app", "1", image);
        fixture.pull(reference);
        List<String> before = fixture.files();
        Files.delete(fixture.cache.resolve(before.stream()
                .filter(file -> file.startsWith("layers/"))
                .findFirst()
                .orElseThrow()));
        registry.put("/v2/app/blobs/" + image.blobDigest(0), new byte[10]);
        assertThatThrownBy(() -> fixture.pull(reference))
                .isInstanceOf(ImageDamaged.class)
                .hasCauseInstanceOf(PullFailed.class);
        assertThat(fixture.files())
                .contains(before.stream()
                        .filter(file -> file.startsWith("manifests/"))
                        .toArray(String[]::new));
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
        byte[] half = Arrays.copyOf(TestImage.tar(Map.of("noise", TestImage.noise(4000))), 2000);
        TestImage image = new TestImage().layer(TestImage.Compression.GZIP, half);
        ImageReference reference = registry.serve("app", "1", image);
        assertThatThrownBy(() -> fixture.pull(reference)).isInstanceOf(CorruptArchiveException.class);
        byte[] tar = TestImage.tar(Map.of("noise", TestImage.noise(4000)));
        byte[] gzip = TestImage.compress(TestImage.Compression.GZIP, tar);
        TestImage cut = new TestImage().dishonestLayer(tar, Arrays.copyOf(gzip, gzip.length / 2));
        ImageReference second = registry.serve("app", "2", cut);
        assertThatThrownBy(() -> fixture.pull(second)).isInstanceOf(CorruptArchiveException.class);
        assertThat(fixture.files()).noneMatch(f -> f.startsWith("layers/") || f.startsWith("tmp/"));
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
    void absentImagesAndRegistriesAreToldApart() {
        failsWith(
                PullFailed.Reason.NOT_FOUND,
                () -> fixture.pull(ImageReference.parse(registry.name() + "/absent")),
                "HTTP 404");
        ImageReference nobody = ImageReference.parse("127.0.0.1:1/app");
        failsWith(PullFailed.Reason.UNREACHABLE, () -> fixture.pull(nobody), "127.0.0.1:1");
    }
}
