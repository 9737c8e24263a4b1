package dev.cloche.image;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cloche.base.ClocheException;
import dev.cloche.image.transfer.ImageFetcher;
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

/** What an error says to do next helps with what was asked for. */
class ImageHintsTest {
    @TempDir
    Path root;

    private ScriptedRegistry registry;
    private StoreFixture fixture;
    private ImageReference name;

    @BeforeEach
    void start() throws IOException {
        registry = new ScriptedRegistry();
        fixture = StoreFixture.in(root);
        name = registry.serve("app", "1", new TestImage().layer(TestImage.Compression.GZIP, Map.of("a", "b")));
        fixture.pull(name);
    }

    @AfterEach
    void stop() {
        fixture.close();
        registry.close();
    }

    @Test
    void ofWhatIsUsedTheNameCanBeTakenAway() {
        fixture.acquire(name, "a");
        assertThat(remedy(() -> fixture.store.remove(name, false)))
                .isEqualTo("Remove what uses it first, or take only its name away: cloche.images().remove(…, true)");
    }

    @Test
    void whatALayoutDoesNotHaveNoLoginWouldBring() throws IOException {
        Path layout = ThreeImages.writeLayout(Files.createDirectory(root.resolve("layout")));
        Path blobs = layout.resolve("blobs/sha256");
        try (StoreFixture bundled = ThreeImages.open(root.resolve("bundled"), layout);
                var all = Files.list(blobs)) {
            for (Path blob : all.toList()) {
                Files.delete(blob);
            }
            assertThat(remedy(() -> bundled.pull(ThreeImages.A)))
                    .isEqualTo("Make the archive or layout again, or get a whole copy of it.");
        }
    }

    @Test
    void aMistypedNameIsAnsweredWithWhatFitsTheQuestion() {
        ImageReference debian = ImageReference.parse("debian:12");
        fixture.store.tag(name, debian);
        ImageReference typo = ImageReference.parse("debain");
        String meant = "Did you mean debian:12?";
        assertThat(remedy(() -> fixture.acquire(typo, PullPolicy.NEVER, "a"))).isEqualTo(meant);
        assertThat(remedy(() -> fixture.store.remove(typo, false))).isEqualTo(meant);
        assertThat(remedy(() -> fixture.store.inspect(typo))).isEqualTo(meant);
        ImageReference other = ImageReference.parse("postgres:17");
        assertThat(remedy(() -> fixture.acquire(other, PullPolicy.NEVER, "a")))
                .isEqualTo("Allow a pull, or bring it with: cloche.images().pull(\"postgres:17\")");
        assertThat(remedy(() -> fixture.store.remove(other, false)))
                .isEqualTo("List what is here with: cloche.images().list()");
        assertThat(remedy(() -> fixture.store.tag(other, typo)))
                .isEqualTo("List what is here with: cloche.images().list()");
    }

    @Test
    void withoutANetworkAMistypedNameIsAnsweredWithWhatIsHere() throws IOException {
        ImageReference typo = ImageReference.parse(name.registry() + "/apq:1");
        // It answers: what it says is what there is to say.
        assertThat(remedy(() -> fixture.acquire(typo, "a"))).startsWith("Check the spelling");
        registry.vanish();
        assertThat(remedy(() -> fixture.acquire(typo, "a")))
                .startsWith("Did you mean " + name.familiar() + "? That is here. Check the network");
        assertThat(remedy(() -> fixture.acquire(ImageReference.parse(name.registry() + "/quite/different"), "a")))
                .startsWith("Check the network");
        assertThat(remedy(() -> fixture.store.pull(name, PullPolicy.ALWAYS, PullListener.none(), StoreFixture.soon())))
                .startsWith("Check the network");
    }

    @Test
    void workOnWhatIsHereThatIsInterruptedSaysNothingOfPulls() {
        assertThatThrownBy(() -> ImageFetcher.inCache(root, () -> {
                    throw new InterruptedException();
                }))
                .isInstanceOfSatisfying(
                        ImageInterrupted.class, e -> assertThat(e.code()).isEqualTo("image.interrupted"))
                .hasMessageStartingWith("The work on the images of this host was interrupted.");
        assertThat(Thread.interrupted()).isTrue();
    }

    @Test
    void withoutANetworkAMistypedNameMayBeThatOfABundledImageThatWasNeverUsed() throws IOException {
        registry.vanish();
        ImageReference never = ImageReference.parse(name.registry() + "/bundled:1");
        Path layout = new TestImage()
                .layer(TestImage.Compression.NONE, Map.of("a", "b"))
                .writeLayout(root.resolve("layout"), never.toString());
        ImageStoreOptions options = StoreFixture.quick(Optional.empty())
                .withBundled(List.of(root.resolve("absent"), Files.createDirectory(root.resolve("empty")), layout));
        try (StoreFixture fresh = new StoreFixture(root.resolve("fresh"), options)) {
            ImageReference typo = ImageReference.parse(name.registry() + "/bundeld:1");
            assertThat(remedy(() -> fresh.acquire(typo, "a")))
                    .startsWith("Did you mean " + never.familiar() + "? That is here.");
        }
    }

    private static String remedy(Runnable work) {
        try {
            work.run();
            return "";
        } catch (ClocheException e) {
            return e.remedy();
        }
    }
}
