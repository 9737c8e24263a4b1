package dev.cloche.image;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** A test with a registry that answers byte by byte as it is told, which has one image of one large layer. */
abstract class OnRawRegistry {
    static final int TRIES = 3;

    /** Long enough for an answer on a busy machine. */
    static final Duration SHORT = Duration.ofSeconds(1);

    /** For tests of what is said in a part of it, or of which of two delays comes first. */
    static final Duration LONGER = SHORT.multipliedBy(4);

    @TempDir
    Path root;

    RawRegistry registry;
    StoreFixture store;
    TestImage image;
    ImageReference reference;
    String blob;
    final CountDownLatch end = new CountDownLatch(1);

    @BeforeEach
    void openRegistry() throws IOException {
        registry = new RawRegistry();
        store = new StoreFixture(root, patient(TRIES, Duration.ofSeconds(20)));
        image = new TestImage()
                .layer(TestImage.Compression.NONE, TestImage.tar(Map.of("noise", TestImage.noise(1_000_000))));
        reference = registry.serve(image);
        blob = image.blobDigest(0).toString();
    }

    @AfterEach
    void closeRegistry() throws IOException {
        end.countDown();
        store.close();
        registry.close();
    }

    void reopen(int tries, Duration stall) {
        store.close();
        store = new StoreFixture(root, patient(tries, stall));
    }

    void pulls() {
        assertThat(store.pull(reference).manifest()).isEqualTo(image.manifestDigest());
    }

    PullFailed fails(PullFailed.Reason reason, String... parts) {
        PullFailed failure = catchThrowableOfType(PullFailed.class, () -> store.pull(reference));
        assertThat(failure).isNotNull();
        assertThat(failure.reason()).as(failure.getMessage()).isEqualTo(reason);
        assertThat(failure).hasMessageContainingAll(parts);
        nothingIsLeft(failure);
        return failure;
    }

    void nothingIsLeft(ImageException failure) {
        assertThat(failure.sentence()).endsWith(".").doesNotContainPattern("\\p{Cntrl}");
        assertThat(failure.remedy()).isNotEmpty();
        assertThat(store.store.list()).isEmpty();
        try {
            assertThat(store.files()).isEmpty();
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    static void endless(OutputStream out) throws IOException {
        byte[] filler = " ".repeat(65_536).getBytes(StandardCharsets.US_ASCII);
        while (true) {
            out.write(filler);
        }
    }

    static ImageStoreOptions patient(int tries, Duration stall) {
        ImageStoreOptions quick = StoreFixture.quick(Optional.empty());
        return quick.withRegistries(() -> new RegistryOptions(
                Set.of(), Map.of(), List.of(), LoginSources.NONE, tries, Duration.ofMillis(1), stall));
    }
}
