package dev.cloche.image;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** A test with a registry that serves what it is given, and a store beside it. */
abstract class OnScriptedRegistry {
    @TempDir
    Path root;

    ScriptedRegistry registry;
    StoreFixture fixture;

    @BeforeEach
    void openRegistry() throws IOException {
        registry = new ScriptedRegistry();
        fixture = StoreFixture.in(root);
    }

    @AfterEach
    void closeRegistry() {
        fixture.close();
        registry.close();
    }

    static TestImage small() {
        return new TestImage().layer(TestImage.Compression.GZIP, Map.of("bin/sh", "shell"));
    }

    static void failsWith(PullFailed.Reason reason, ThrowingCallable pull, String... parts) {
        assertThatThrownBy(pull)
                .isInstanceOfSatisfying(
                        PullFailed.class,
                        e -> assertThat(e.reason()).as(e.getMessage()).isEqualTo(reason))
                .hasMessageContainingAll(parts);
    }
}
