package dev.cloche.linux;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import org.junit.jupiter.api.Test;

class NativeLibraryTest {
    @Test
    void whatLoadsIsReturned() throws IOException {
        assertThat(NativeLibrary.use("zstd", () -> "made")).isEqualTo("made");
    }

    @Test
    void aFailureOfTheMakingIsNoneOfTheLibrary() {
        assertThatThrownBy(() -> NativeLibrary.use("zstd", () -> {
                    throw new IOException("cut short");
                }))
                .isInstanceOf(IOException.class)
                .hasMessage("cut short");
    }

    /** As the JVM has it at the second use of a class whose first use failed. */
    @Test
    void anErrorOfTheJvmIsAnExceptionWithItsLastCause() {
        NoClassDefFoundError second = new NoClassDefFoundError("Could not initialize class Zstd");
        second.initCause(new ExceptionInInitializerError("Exception UnsatisfiedLinkError: no zstd\n in /tmp."));
        assertThatThrownBy(() -> NativeLibrary.use("zstd", () -> {
                    throw second;
                }))
                .isInstanceOf(NativeLibraryException.class)
                .hasMessageStartingWith(
                        "The native library of zstd cannot be loaded: Exception UnsatisfiedLinkError: no zstd; in"
                                + " /tmp.")
                .hasCause(second);
    }
}
