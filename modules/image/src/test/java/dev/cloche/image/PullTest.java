package dev.cloche.image;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What a pull brings. */
class PullTest extends OnScriptedRegistry {
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
    void gzipOfManyMembersIsReadToItsEnd() throws IOException {
        byte[] tar = TestImage.tar(Map.of("noise", TestImage.noise(200_000)));
        ByteArrayOutputStream members = new ByteArrayOutputStream();
        for (int from = 0; from < tar.length; from += 10_000) {
            byte[] part = Arrays.copyOfRange(tar, from, Math.min(tar.length, from + 10_000));
            members.write(TestImage.compress(TestImage.Compression.GZIP, part));
        }
        TestImage image = new TestImage().dishonestLayer(tar, members.toByteArray());
        fixture.pull(registry.serve("app", "1", image));
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
}
