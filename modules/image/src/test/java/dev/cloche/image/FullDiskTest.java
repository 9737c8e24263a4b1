package dev.cloche.image;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.cloche.base.ClocheException;
import dev.cloche.base.Deadline;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Pulls and loads on a file system that is full after so many bytes, from none to as many as are enough: so each of their writes
 * is once the one that fails.
 */
class FullDiskTest {
    private static final long PAGE = 4096;
    private static final long PAGES = 1024;

    @TempDir
    Path outside;

    private @Nullable Path mounted;
    private @Nullable LocalRegistry registry;
    private @Nullable StoreFixture fixture;

    private final TestImage image = new TestImage()
            .layer(TestImage.Compression.GZIP, Map.of("bin/sh", TestImage.noise(300_000)))
            .layer(TestImage.Compression.ZSTD, Map.of("etc/motd", TestImage.noise(200_000)));

    @BeforeEach
    void mount() throws Exception {
        Path root = Files.createTempDirectory("cloche-full");
        boolean small = run("mount", "-t", "tmpfs", "-o", "mode=700,size=48m", "none", root.toString());
        if (!small) {
            Files.delete(root);
        }
        assumeTrue(small, "only root can mount a small file system");
        mounted = root;
        StoreFixture made = StoreFixture.in(root);
        fixture = made;
        made.catalog.refillReserve(Deadline.none());
    }

    @AfterEach
    void unmount() throws Exception {
        if (registry != null) {
            registry.close();
        }
        if (mounted != null) {
            fixture().close();
            run("umount", root().toString());
            Files.delete(root());
        }
    }

    private static boolean run(String... command) throws Exception {
        return new ProcessBuilder(command)
                        .redirectErrorStream(true)
                        .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                        .start()
                        .waitFor()
                == 0;
    }

    private Path root() {
        return Objects.requireNonNull(mounted);
    }

    private StoreFixture fixture() {
        return Objects.requireNonNull(fixture);
    }

    private ImageReference pushed() throws Exception {
        assumeTrue(
                LocalRegistry.missing().isEmpty(), () -> LocalRegistry.missing().orElseThrow());
        LocalRegistry started = LocalRegistry.start(outside.resolve("registry"));
        registry = started;
        return started.push(image.writeLayout(outside.resolve("layout"), "app"), "app", "team/app:1");
    }

    @Test
    void aPullThatFindsNoRoomLeavesWholeLayersOnlyAndWorksLater() throws Exception {
        pullsStepByStep(40);
    }

    @Test
    @Tag("slow")
    void aPullThatFindsNoRoomAtAnyPageLeavesWholeLayersOnly() throws Exception {
        pullsStepByStep(1);
    }

    private void pullsStepByStep(int stride) throws Exception {
        ImageReference name = pushed();
        stepByStep(stride, "layers/", () -> fixture().pull(name).manifest());
    }

    @Test
    void aLoadThatFindsNoRoomLeavesNothingAndWorksLater() throws Exception {
        loadsStepByStep(40);
    }

    @Test
    @Tag("slow")
    void aLoadThatFindsNoRoomAtAnyPageLeavesNothing() throws Exception {
        loadsStepByStep(1);
    }

    private void loadsStepByStep(int stride) throws Exception {
        Path archive = outside.resolve("image.tar");
        try (StoreFixture from = StoreFixture.in(outside.resolve("from"))) {
            Path layout = image.writeLayout(outside.resolve("layout"), "app");
            ImageReference name = from.store
                    .load(layout, Optional.empty(), PullListener.none(), StoreFixture.soon())
                    .getFirst()
                    .reference();
            from.store.save(List.of(name), archive, PullListener.none(), StoreFixture.soon());
        }
        stepByStep(
                stride,
                "nothing",
                () -> fixture()
                        .store
                        .load(archive, Optional.empty(), PullListener.none(), StoreFixture.soon())
                        .getFirst()
                        .manifest());
    }

    /** @param kept the beginning of the names of files in the cache that may be left, each of which has a row */
    private void stepByStep(int stride, String kept, Supplier<Digest> work) throws Exception {
        int failed = 0;
        for (long pages = 0; pages < PAGES; pages += stride) {
            Path filler = fill(pages * PAGE);
            Throwable full = catchThrowable(() -> assertThat(work.get()).isEqualTo(image.manifestDigest()));
            Files.delete(filler);
            // As the next sweep does: what fails takes some of it.
            fixture().catalog.refillReserve(Deadline.none());
            if (full == null) {
                assertThat(failed).as("attempts without enough room").isPositive();
                assertThat(fixture().store.check()).isEmpty();
                return;
            }
            failed++;
            assertThat(full).as("with room for %d pages", pages).isInstanceOfSatisfying(ClocheException.class, e -> {
                assertThat(e).hasMessageContaining("space");
                assertThat(e.remedy()).isNotBlank();
            });
            assertThat(fixture().files())
                    .as("files with room for %d pages", pages)
                    .allMatch(file -> file.startsWith(kept));
            assertThat(fixture().store.check())
                    .as("problems with room for %d pages", pages)
                    .isEmpty();
            assertThat(rows("image_ref") + rows("manifest") + rows("config") + rows("image_pin"))
                    .as("rows with room for %d pages", pages)
                    .isZero();
            assertThat(rows("layer")).isEqualTo(fixture().files().size());
        }
        throw new AssertionError("no room was enough");
    }

    private int rows(String table) {
        return fixture()
                .catalog
                .read(transaction -> transaction.list(row -> row.getInt(1), "SELECT count(*) FROM " + table))
                .getFirst();
    }

    /** Leaves so many bytes. */
    private Path fill(long left) throws IOException {
        Path filler = root().resolve("filler");
        byte[] block = new byte[1 << 16];
        try (RandomAccessFile file = new RandomAccessFile(filler.toFile(), "rw")) {
            for (long free = free(); free > left; free = free()) {
                file.write(block, 0, (int) Math.min(block.length, free - left));
            }
        }
        assertThat(free()).isEqualTo(left);
        return filler;
    }

    private long free() {
        return root().toFile().getUsableSpace();
    }
}
