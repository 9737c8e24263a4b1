package dev.cloche.image;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cloche.base.TestClock;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The size that the cache of images is kept below by itself. */
class CacheLimitTest {
    @TempDir
    Path root;

    private final AtomicReference<OptionalLong> limit = new AtomicReference<>(OptionalLong.empty());
    private final List<String> heard = new CopyOnWriteArrayList<>();
    private ScriptedRegistry registry;
    private StoreFixture fixture;
    private ImageReference first;
    private ImageReference second;
    private ImageReference third;

    @BeforeEach
    void start() throws IOException {
        registry = new ScriptedRegistry();
        fixture = new StoreFixture(root, StoreFixture.quick(Optional.empty()).withKeepBytes(limit::get));
        first = registry.serve("app", "1", image("one"));
        second = registry.serve("app", "2", image("two"));
        third = registry.serve("app", "3", image("three"));
    }

    @AfterEach
    void stop() {
        fixture.close();
        registry.close();
    }

    @Test
    void afterAPullTheLeastRecentlyUsedGoUntilTheRestIsSmallEnough() throws IOException {
        pull(first);
        pull(second);
        assertThat(names()).containsExactlyInAnyOrder(first, second);
        limit.set(OptionalLong.of(bytes()));

        pull(third);

        assertThat(names()).containsExactlyInAnyOrder(second, third);
        assertThat(heard)
                .containsExactly("removed " + first.familiar() + ", because all images are kept below "
                        + limit.get().getAsLong() + " bytes");
        assertThat(bytes()).isLessThanOrEqualTo(limit.get().getAsLong());
        assertThat(fixture.store.check()).isEmpty();
    }

    @Test
    void belowTheLimitNothingGoesAndNothingIsSaid() {
        limit.set(OptionalLong.of(Long.MAX_VALUE));
        pull(first);
        pull(second);
        assertThat(names()).containsExactlyInAnyOrder(first, second);
        assertThat(heard).isEmpty();
    }

    /** With the clock set back, it would otherwise stay until that time comes. */
    @Test
    void whatWasUsedInTheFutureGoesToo() {
        TestClock clock = new TestClock();
        fixture.close();
        fixture = StoreFixture.at(root, clock, limit::get);
        clock.forward(Duration.ofDays(400));
        pull(first);
        clock.forward(Duration.ofDays(-400));
        limit.set(OptionalLong.of(0));
        pull(second);
        assertThat(names()).containsExactly(second);
    }

    @Test
    void whatWasPulledAndWhatIsUsedStaysAboveTheLimit() {
        limit.set(OptionalLong.of(0));
        fixture.acquire(first, "a");
        pull(second);
        assertThat(names()).containsExactlyInAnyOrder(first, second);
        fixture.acquire(third, "b");
        assertThat(names()).containsExactlyInAnyOrder(first, third);
        fixture.store.release(StoreFixture.holder("a"));
        // Nothing was pulled since.
        fixture.acquire(third, "c");
        assertThat(names()).containsExactlyInAnyOrder(first, third);
    }

    @Test
    void layersThatAnotherPullHasJustMadeAreLeftToIt() {
        limit.set(OptionalLong.of(0));
        pull(first);
        // As between the layer's row and that of its image.
        String layer = "sha256:" + "ab".repeat(32);
        fixture.catalog.write(transaction -> transaction.update(
                "INSERT INTO layer (diff_id, erofs_size, created_at, last_used_at) VALUES (?, 0, 0, 0)", layer));
        pull(second);
        assertThat(names()).containsExactly(second);
        assertThat(fixture.catalog.<List<String>, RuntimeException>read(
                        transaction -> transaction.list(row -> row.getString(1), "SELECT diff_id FROM layer")))
                .contains(layer);
    }

    @Test
    void aLimitThatCannotBeReadFailsNoPull() {
        fixture.close();
        fixture = new StoreFixture(root, StoreFixture.quick(Optional.empty()).withKeepBytes(() -> {
            throw new BadReference("config", "it is broken");
        }));
        pull(first);
        assertThat(names()).containsExactly(first);
        assertThat(heard).singleElement().asString().startsWith("images are not kept below their limit: ");
    }

    private void pull(ImageReference reference) {
        fixture.store.pull(
                reference,
                PullPolicy.ALWAYS,
                event -> {
                    if (event instanceof PullEvent.Warning(String what)) {
                        heard.add(what);
                    }
                },
                StoreFixture.soon());
    }

    private List<ImageReference> names() {
        return fixture.store.list().stream().map(ImageSummary::reference).toList();
    }

    private long bytes() throws IOException {
        long sum = 0;
        for (String file : fixture.files()) {
            sum += Files.size(fixture.cache.resolve(file));
        }
        return sum;
    }

    private static TestImage image(String content) {
        return new TestImage().layer(TestImage.Compression.GZIP, Map.of("file", content));
    }
}
