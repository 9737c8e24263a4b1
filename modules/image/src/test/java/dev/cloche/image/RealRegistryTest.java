package dev.cloche.image;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.cloche.base.ChildJvm;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RealRegistryTest {
    @TempDir
    Path root;

    private final List<Process> started = new ArrayList<>();
    private LocalRegistry registry;

    @BeforeEach
    void start() throws Exception {
        assumeTrue(
                LocalRegistry.missing().isEmpty(), () -> LocalRegistry.missing().orElseThrow());
        registry = LocalRegistry.start(root.resolve("registry"));
    }

    @AfterEach
    void stop() {
        started.forEach(Process::destroyForcibly);
        if (registry != null) {
            registry.close();
        }
    }

    @Test
    void anImagePushedBySkopeoIsPulledByTagAndByDigest() throws Exception {
        TestImage image = image();
        ImageReference pushed = registry.push(image.writeLayout(root.resolve("layout"), "app"), "app", "team/app:1");
        try (StoreFixture fixture = StoreFixture.in(root.resolve("store"))) {
            ImageDisk disk = fixture.acquire(pushed, "a");
            assertThat(disk.manifest()).isEqualTo(image.manifestDigest());
            assertThat(disk.vmdk()).exists();
            ImageReference exact = ImageReference.parse(registry.name() + "/team/app@" + image.manifestDigest());
            assertThat(fixture.pull(exact).manifest()).isEqualTo(image.manifestDigest());
        }
    }

    @Test
    void processesThatWantTheSameImageGetTheSameDisk() throws Exception {
        TestImage image = image();
        ImageReference pushed = registry.push(image.writeLayout(root.resolve("layout"), "app"), "app", "team/app:1");
        Path store = root.resolve("store");
        for (int i = 0; i < 2; i++) {
            start("-Xshare:auto", store, pushed, "p" + i, PullPolicy.MISSING);
        }
        for (Process process : started) {
            assertThat(process.inputReader(StandardCharsets.UTF_8).readLine()).isEqualTo("ready");
        }
        for (Process process : started) {
            process.outputWriter().close();
        }
        for (Process process : started) {
            assertThat(process.inputReader(StandardCharsets.UTF_8).readLine())
                    .isEqualTo("disk " + image.manifestDigest());
            assertThat(process.waitFor()).isZero();
        }
        try (StoreFixture fixture = StoreFixture.in(store)) {
            assertThat(fixture.files()).filteredOn(f -> f.startsWith("tmp/")).isEmpty();
            assertThat(fixture.acquire(pushed, PullPolicy.NEVER, "after").manifest())
                    .isEqualTo(image.manifestDigest());
        }
    }

    @Test
    void aWarmStartLoadsNoHttpClientNoMigrationAndNoDecompressor() throws Exception {
        TestImage image = image();
        ImageReference pushed = registry.push(image.writeLayout(root.resolve("layout"), "app"), "app", "team/app:1");
        Path store = root.resolve("store");
        try (StoreFixture fixture = StoreFixture.in(store)) {
            fixture.pull(pushed);
        }
        Process process = start("-Xlog:class+load:stdout", store, pushed, "warm", PullPolicy.MISSING);
        process.outputWriter().close();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(output)
                .contains("disk " + image.manifestDigest())
                .contains("dev.cloche.image.ImageStore ")
                .doesNotContain(
                        "java.net.http.", "jdk.internal.net.http.", "dev.cloche.migration.", "com.github.luben.");
    }

    private Process start(String option, Path store, ImageReference reference, String holder, PullPolicy policy)
            throws IOException {
        Process process = new ProcessBuilder(ChildJvm.command(
                        List.of(option),
                        ImageProcess.class,
                        store.toString(),
                        reference.toString(),
                        holder,
                        policy.name()))
                .redirectError(ProcessBuilder.Redirect.appendTo(
                        root.resolve("errors.txt").toFile()))
                .start();
        started.add(process);
        return process;
    }

    private static TestImage image() {
        return new TestImage()
                .layer(TestImage.Compression.GZIP, Map.of("bin/sh", "shell", "etc/motd", "hello"))
                .layer(TestImage.Compression.ZSTD, Map.of("etc/issue", "z".repeat(100_000)));
    }
}
