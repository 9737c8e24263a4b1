package dev.cloche.image;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cloche.base.TestClock;
import dev.cloche.image.manifest.ManifestDocument;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What is written when, as triggers see it; and what is recorded of an image. */
class CatalogRulesTest extends OnScriptedRegistry {
    private static final List<String> TABLES =
            List.of("image_ref", "manifest", "config", "layer", "manifest_layer", "image_pin");

    private final TestClock clock = new TestClock();
    private ImageReference reference;

    private final TestImage image = new TestImage()
            .layer(TestImage.Compression.GZIP, Map.of("bin/sh", "shell"))
            .layer(TestImage.Compression.ZSTD, Map.of("etc/motd", "hello"))
            .layer(TestImage.Compression.NONE, Map.of("bin/sh", "shell"));

    @BeforeEach
    void pull() {
        fixture.close();
        fixture = StoreFixture.at(root, clock);
        reference = registry.serve("app", "1", image);
        fixture.pull(reference);
        // A use within a minute of the last one changes no time.
        clock.forward(Duration.ofMinutes(2));
        watch();
    }

    @Test
    void aPullOfWhatIsHereWritesTwoTimesAndNoFile() throws IOException {
        Map<String, FileTime> before = times();
        fixture.store.pull(reference, PullPolicy.ALWAYS, PullListener.none(), StoreFixture.soon());
        assertThat(written()).containsExactlyInAnyOrder("update image_ref", "update layer", "update layer");
        assertThat(times()).isEqualTo(before);
    }

    @Test
    void aStartWithinAMinuteOfTheLastUseAddsAPinAlone() {
        fixture.acquire(reference, "a");
        var _ = written();
        fixture.acquire(reference, "b");
        assertThat(written()).containsExactly("insert image_pin");
    }

    @Test
    void aPullThatAsksNoRegistryWritesNothing() {
        fixture.pull(reference);
        assertThat(written()).isEmpty();
    }

    @Test
    void aStartAddsAPinToTheTwoTimes() throws IOException {
        Map<String, FileTime> before = times();
        fixture.acquire(reference, "a");
        assertThat(written())
                .containsExactlyInAnyOrder("insert image_pin", "update image_ref", "update layer", "update layer");
        assertThat(times()).isEqualTo(before);
    }

    @Test
    void aMissingLayerRowMakesThePullWriteEverythingAgain() throws IOException {
        fixture.catalog.write(transaction -> {
            transaction.update("DELETE FROM manifest_layer");
            return transaction.update("DELETE FROM layer");
        });
        var _ = written();
        fixture.store.pull(reference, PullPolicy.ALWAYS, PullListener.none(), StoreFixture.soon());
        assertThat(written()).contains("insert layer", "insert manifest_layer");
        assertThat(fixture.store.check()).isEmpty();
    }

    @Test
    void aPullAgainKeepsTheTimeOfTheFirst() {
        ImageSummary before = fixture.store.get(reference);
        ImageSummary after = fixture.store.pull(reference, PullPolicy.ALWAYS, PullListener.none(), StoreFixture.soon());
        assertThat(after.createdAt()).isEqualTo(before.createdAt());
        assertThat(after.lastUsedAt()).isAfterOrEqualTo(before.lastUsedAt());
    }

    @Test
    void everythingThatIsRecordedIsTold() {
        fixture.acquire(reference, "a");
        ImageDetails details = fixture.store.inspect(reference);
        assertThat(details.summary()).isEqualTo(fixture.store.get(reference));
        assertThat(details.configDigest()).isEqualTo(Digest.of(image.configDocument()));
        assertThat(details.mediaType()).isEqualTo(ManifestDocument.OCI_MANIFEST);
        assertThat(details.config().env()).containsExactly("PATH=/bin", "LANG=C.UTF-8");
        assertThat(details.config().labels()).containsEntry("purpose", "test");
        assertThat(details.config().stopSignal()).isEqualTo("SIGINT");
        assertThat(details.warnings()).isEmpty();
        assertThat(details.holders()).containsExactly(StoreFixture.holder("a"));
        assertThat(details.layers()).hasSize(3);
        for (int i = 0; i < 3; i++) {
            ImageDetails.Layer layer = details.layers().get(i);
            assertThat(layer.diffId()).isEqualTo(image.diffId(i));
            assertThat(layer.blob()).isEqualTo(image.blobDigest(i));
            assertThat(layer.compressedBytes()).isEqualTo(image.blob(i).length);
            assertThat(layer.erofsBytes()).isPositive();
        }
        assertThat(details.layers())
                .extracting(ImageDetails.Layer::mediaType)
                .element(1)
                .asString()
                .endsWith("+zstd");
    }

    @Test
    void aConfigFieldThatCannotBeReadIsAWarning() {
        ImageReference odd = registry.serve("odd", "1", new TestImage().config("\"Env\":42,\"Cmd\":[\"/bin/sh\"]"));
        fixture.pull(odd);
        assertThat(fixture.store.inspect(odd).warnings())
                .singleElement()
                .asString()
                .contains("Env");
    }

    @Test
    void aTagIsAnotherNameAndMovesWhatItMeant() {
        ImageReference name = ImageReference.parse("mine:latest");
        assertThat(fixture.store.tag(reference, name).manifest()).isEqualTo(image.manifestDigest());
        fixture.store.remove(reference, false);
        assertThat(fixture.store.get(name).manifest()).isEqualTo(image.manifestDigest());
        TestImage next = new TestImage().layer(TestImage.Compression.GZIP, Map.of("a", "b"));
        ImageReference other = registry.serve("app", "2", next);
        fixture.pull(other);
        fixture.store.tag(other, name);
        assertThat(fixture.store.get(name).manifest()).isEqualTo(next.manifestDigest());
        assertThat(fixture.store.check()).isEmpty();
        assertThatThrownBy(() -> fixture.store.tag(reference, name)).isInstanceOf(ImageNotFound.class);
    }

    @Test
    void locksAreBoundedHoweverManyContentsThereWere() throws IOException {
        for (int i = 0; i < 12; i++) {
            fixture.pull(registry.serve(
                    "many", "v" + i, new TestImage().layer(TestImage.Compression.NONE, Map.of("f", "content " + i))));
        }
        try (var locks = Files.list(fixture.cache.resolve("locks"))) {
            assertThat(locks.map(file -> file.getFileName().toString()))
                    .allMatch(name -> name.matches("(layer|manifest|config)-[0-9a-f]{2}"));
        }
    }

    private void watch() {
        fixture.catalog.write(transaction -> {
            transaction.update("CREATE TABLE written (what TEXT NOT NULL)");
            for (String table : TABLES) {
                for (String what : List.of("insert", "update", "delete")) {
                    transaction.update("CREATE TRIGGER watch_" + what + "_" + table + " AFTER " + what + " ON " + table
                            + " BEGIN INSERT INTO written VALUES ('" + what + " " + table + "'); END");
                }
            }
            return 0;
        });
    }

    /** One line for each row, since the last time. */
    private List<String> written() {
        return fixture.catalog.write(transaction -> {
            List<String> rows = transaction.list(row -> row.getString(1), "SELECT what FROM written");
            transaction.update("DELETE FROM written");
            return rows;
        });
    }

    private Map<String, FileTime> times() throws IOException {
        Map<String, FileTime> times = new HashMap<>();
        for (String file : fixture.files()) {
            times.put(file, Files.getLastModifiedTime(fixture.cache.resolve(file)));
        }
        return times;
    }
}
