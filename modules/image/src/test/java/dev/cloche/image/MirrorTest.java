package dev.cloche.image;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Copies of a registry's images, which are asked before it. */
class MirrorTest {
    @TempDir
    Path root;

    private RawRegistry origin;
    private RawRegistry mirror;
    private StoreFixture store;
    private TestImage image;
    private ImageReference reference;
    private String blob;

    @BeforeEach
    void start() throws IOException {
        origin = new RawRegistry();
        mirror = new RawRegistry();
        byte[] noise = new byte[300_000];
        new Random(1).nextBytes(noise);
        image = new TestImage()
                .layer(
                        TestImage.Compression.NONE,
                        TestImage.tar(Map.of("noise", new String(noise, StandardCharsets.ISO_8859_1))));
        blob = image.blobDigest(0).toString();
        reference = origin.serve(image);
        mirroredAt(mirror.name());
    }

    private void mirroredAt(String... mirrors) {
        if (store != null) {
            store.close();
        }
        RegistryOptions options = StoreFixture.quick(Optional.empty())
                .registries()
                .get()
                .withMirrors(Map.of(
                        origin.name(),
                        List.of(mirrors).stream().map(RegistryMirror::parse).toList()));
        store = new StoreFixture(root, StoreFixture.quick(Optional.empty()).withRegistries(() -> options));
    }

    @AfterEach
    void stop() throws IOException {
        store.close();
        origin.close();
        mirror.close();
    }

    @Test
    void aMirrorThatHasTheImageIsEnough() {
        mirror.serve(image);
        pulls();
        assertThat(origin.requests("")).isEmpty();
    }

    @Test
    void whatAMirrorLacksComesFromTheRegistryAndTheMirrorIsAskedOnce() {
        pulls();
        assertThat(mirror.requests("")).hasSize(1);
        assertThat(origin.requests(blob)).hasSize(1);
    }

    @Test
    void aMirrorThatIsDownDelaysOnlyTheFirstQuestion() throws IOException {
        mirror.close();
        pulls();
        assertThat(origin.requests("/manifests/")).hasSize(1);
    }

    @Test
    void aLayerThatBreaksOffGoesOnAtTheRegistryWhereItWas() {
        mirror.serve(image);
        mirror.fault(blob, (out, content, from) -> {
            if (from == 0) {
                out.write(RawRegistry.head("HTTP/1.1 200 OK", "Content-Length: " + content.length));
                out.write(content, 0, 100_000);
            } else {
                out.write(RawRegistry.head("HTTP/1.1 503 Gone", "Content-Length: 0"));
            }
        });
        pulls();
        assertThat(origin.requests("/manifests/")).isEmpty();
        assertThat(origin.requests(blob)).hasSize(1);
    }

    @Test
    void aMirrorThatLiesIsFoundOut() {
        mirror.serve(image);
        mirror.fault(blob, (out, content, from) -> {
            byte[] other = content.clone();
            other[200_000] ^= 1;
            RawRegistry.properly(out, other, from);
        });
        PullFailed failure = catchThrowableOfType(PullFailed.class, () -> store.pull(reference));
        assertThat(failure.reason()).isEqualTo(PullFailed.Reason.DIGEST_MISMATCH);
        assertThat(store.store.list()).isEmpty();
    }

    @Test
    void aMirrorKeepsRepositoriesBelowAPathOfItsOwn() {
        mirroredAt(mirror.name() + "/proxy/hub");
        pulls();
        assertThat(mirror.requests("")).containsExactly("/v2/proxy/hub/app/manifests/1");
    }

    @Test
    void aMirrorNeverSeesTheRegistrysPassword() {
        mirror.fault(
                "/manifests/1",
                (out, _, _) -> out.write(RawRegistry.head(
                        "HTTP/1.1 401 Unauthorized", "WWW-Authenticate: Basic realm=\"x\"", "Content-Length: 0")));
        RegistryOptions options = StoreFixture.quick(Optional.empty())
                .registries()
                .get()
                .withMirrors(Map.of(origin.name(), List.of(RegistryMirror.parse(mirror.name()))))
                .withLogins(
                        LoginSources.NONE.withGiven(Map.of(origin.name(), new RegistryLogin("alice", "open sesame"))));
        store.close();
        store = new StoreFixture(root, StoreFixture.quick(Optional.empty()).withRegistries(() -> options));
        pulls();
        assertThat(mirror.requests("")).hasSize(1);
        assertThat(mirror.authorizations()).isEmpty();
    }

    @Test
    void onlyHostsAndPathsAreMirrors() {
        for (String wrong :
                List.of("", "http://mirror", "a b", "mirror/", "mirror/../x", "mirror/UPPER", "-x", "m:99x")) {
            assertThat(catchThrowableOfType(IllegalArgumentException.class, () -> RegistryMirror.parse(wrong)))
                    .as(wrong)
                    .isNotNull();
        }
        assertThat(RegistryMirror.parse("[::1]:5000/a/b").repository("library/debian"))
                .isEqualTo("a/b/library/debian");
    }

    private void pulls() {
        assertThat(store.pull(reference).manifest()).isEqualTo(image.manifestDigest());
    }
}
