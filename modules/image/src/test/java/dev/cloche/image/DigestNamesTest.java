package dev.cloche.image;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Images that are meant by their digest, as those must be that have lost their name. */
class DigestNamesTest {
    @TempDir
    Path root;

    private ScriptedRegistry registry;
    private StoreFixture fixture;
    private ImageReference name;
    private Digest digest;

    @BeforeEach
    void start() throws IOException {
        registry = new ScriptedRegistry();
        fixture = StoreFixture.in(root);
        name = registry.serve("app", "1", new TestImage().layer(TestImage.Compression.GZIP, Map.of("a", "b")));
        digest = fixture.pull(name).manifest();
    }

    @AfterEach
    void stop() {
        fixture.close();
        registry.close();
    }

    @Test
    void whatIsUsedWithoutANameIsListedWithItsUsersAndFoundByItsDigest() {
        fixture.acquire(name, "a");
        assertThat(fixture.store.listed()).containsExactly(listed(name, "a"));
        fixture.store.remove(name, true);

        assertThat(fixture.store.list()).isEmpty();
        assertThat(fixture.store.listed()).containsExactly(listed(ImageReference.of(digest), "a"));
        ImageReference found = fixture.store.resolve(digest.toString().substring(0, 19));
        assertThat(found.toString()).isEqualTo(digest.toString());
        assertThat(fixture.store.inspect(found).holders()).containsExactly(StoreFixture.holder("a"));
        assertThatThrownBy(() -> fixture.store.remove(found, false)).isInstanceOf(ImageInUse.class);
        // Another can use it, and it can have a name again.
        assertThat(fixture.acquire(found, PullPolicy.ALWAYS, "b").manifest()).isEqualTo(digest);
        assertThat(fixture.store.list()).isEmpty();
        ImageReference again = ImageReference.parse("again:1");
        assertThat(fixture.store.tag(found, again).reference()).isEqualTo(again);
        fixture.store.release(StoreFixture.holder("a"));
        fixture.store.release(StoreFixture.holder("b"));
        assertThat(fixture.store.list()).extracting(ImageSummary::reference).containsExactly(again);
    }

    @Test
    void aUseByTheDigestIsAUseOfTheNames() {
        ImageSummary before = fixture.store.get(name);
        fixture.acquire(ImageReference.of(digest), PullPolicy.NEVER, "a");
        assertThat(fixture.store.get(name).lastUsedAt()).isAfterOrEqualTo(before.lastUsedAt());
        assertThat(fixture.store.list()).extracting(ImageSummary::reference).containsExactly(name);
        assertThat(fixture.store.heldConfig(StoreFixture.holder("a"))).isPresent();
    }

    @Test
    void theBeginningOfADigestMeansOneImageOrNone() {
        String six = digest.toString().substring(0, "sha256:".length() + 6);
        assertThat(fixture.store.resolve(six)).isEqualTo(ImageReference.of(digest));
        assertThatThrownBy(() -> fixture.store.resolve(six.substring(0, six.length() - 1)))
                .isInstanceOf(BadReference.class)
                .hasMessageContaining("6 digits or more");
        String other = six.substring(0, six.length() - 1) + (six.endsWith("0") ? "1" : "0");
        assertThatThrownBy(() -> fixture.store.resolve(other))
                .isInstanceOf(ImageNotFound.class)
                .hasMessageStartingWith("The image " + other + " is not on this host.");
        String twin = six + "0".repeat(58);
        fixture.catalog.write(transaction -> transaction.update(
                "INSERT INTO manifest (digest, media_type, config_digest, os, architecture, variant, layer_count,"
                        + " total_size, fsmeta_size, vmdk_size, created_at) VALUES (?, '', ?, '', '', '', 0, 0, 0, 0, 0)",
                twin,
                twin));
        assertThatThrownBy(() -> fixture.store.resolve(six))
                .isInstanceOfSatisfying(
                        ImageAmbiguous.class,
                        several -> assertThat(several.candidates()).containsExactly(twin, digest.toString()))
                .hasMessageStartingWith("'" + six + "' may be " + twin + " or " + digest + ".");
        assertThatThrownBy(() -> ImageReference.parse(six)).isInstanceOf(BadReference.class);
    }

    @Test
    void whatHasSeveralNamesGoesByItsDigestOnlyWithForce() throws IOException {
        fixture.store.tag(name, ImageReference.parse("other:1"));
        assertThatThrownBy(() -> fixture.store.remove(ImageReference.of(digest), false))
                .isInstanceOf(ImageHasNames.class)
                .hasMessageContainingAll("2 names", name.toString(), "docker.io/library/other:1");
        fixture.store.remove(ImageReference.of(digest), true);
        assertThat(fixture.files()).isEmpty();
        assertThatThrownBy(() -> fixture.store.remove(ImageReference.of(digest), true))
                .isInstanceOf(ImageNotFound.class);
    }

    @Test
    void aRegistryIsNotAskedForWhatADigestMeans() {
        ImageReference absent = ImageReference.parse("sha256:" + "0".repeat(64));
        int before = registry.requests().size();
        assertThatThrownBy(() -> fixture.acquire(absent, "a")).isInstanceOf(ImageNotFound.class);
        assertThatThrownBy(() -> fixture.acquire(absent, PullPolicy.ALWAYS, "a"))
                .isInstanceOf(ImageNotFound.class);
        assertThatThrownBy(
                        () -> fixture.store.pull(absent, PullPolicy.ALWAYS, PullListener.none(), StoreFixture.soon()))
                .isInstanceOf(BadReference.class)
                .hasMessageContaining("NAME@sha256:");
        assertThatThrownBy(() -> fixture.store.tag(name, absent)).isInstanceOf(BadReference.class);
        assertThat(registry.requests()).hasSize(before);
    }

    @Test
    void aDamagedLayerOfWhatHasNoNameIsOnlyMadeAgainWhileOneSaysWhere() throws IOException {
        ImageReference alone = ImageReference.of(digest);
        fixture.acquire(alone, "a");
        damageTheLayer();
        // The name says which registry.
        fixture.acquire(alone, "b");
        assertThat(fixture.store.check()).isEmpty();
        fixture.store.remove(name, true);
        damageTheLayer();
        assertThatThrownBy(() -> fixture.store.acquireHeld(
                        alone, StoreFixture.holder("a"), PullListener.none(), StoreFixture.soon()))
                .isInstanceOf(ImageDamaged.class)
                .hasMessageContaining("it has no name that says which that is");
        // A holder that knows a name has it made again, and it gets no name by that.
        fixture.store.acquireHeld(name, StoreFixture.holder("a"), PullListener.none(), StoreFixture.soon());
        assertThat(fixture.store.check()).isEmpty();
        assertThat(fixture.store.list()).isEmpty();
    }

    @Test
    void anArchiveGivesNoImageADigestForItsName() {
        Path archive = root.resolve("image.tar");
        fixture.store.save(List.of(ImageReference.of(digest)), archive, PullListener.none(), StoreFixture.soon());
        assertThatThrownBy(() -> load(archive, Optional.empty()))
                .isInstanceOf(LoadFailed.class)
                .hasMessageContaining("no name");
        assertThatThrownBy(() -> load(archive, Optional.of(ImageReference.of(digest))))
                .isInstanceOf(LoadFailed.class)
                .hasMessageContaining("a digest is no name");
        assertThat(load(archive, Optional.of(ImageReference.parse("mine:1"))))
                .extracting(ImageSummary::reference, ImageSummary::manifest)
                .containsExactly(tuple(ImageReference.parse("mine:1"), digest));
    }

    private List<ImageSummary> load(Path archive, Optional<ImageReference> as) {
        return fixture.store.load(archive, as, PullListener.none(), StoreFixture.soon());
    }

    private LocalImage listed(ImageReference as, String holder) {
        return new LocalImage(fixture.store.get(as), List.of(StoreFixture.holder(holder)));
    }

    private void damageTheLayer() throws IOException {
        Path layer = fixture.cache.resolve(fixture.files().stream()
                .filter(file -> file.startsWith("layers/"))
                .findFirst()
                .orElseThrow());
        Files.write(layer, new byte[(int) Files.size(layer)]);
    }
}
