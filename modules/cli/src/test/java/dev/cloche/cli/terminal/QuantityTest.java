package dev.cloche.cli.terminal;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class QuantityTest {
    @Test
    void oneThingIsInTheSingular() {
        assertThat(Quantity.of(1, "image")).isEqualTo("1 image");
        assertThat(Quantity.of(1, "process")).isEqualTo("1 process");
    }

    @Test
    void noneAndSeveralAreInThePlural() {
        assertThat(Quantity.of(0, "image")).isEqualTo("0 images");
        assertThat(Quantity.of(2, "process")).isEqualTo("2 processes");
        assertThat(Quantity.of(3, "sandbox")).isEqualTo("3 sandboxes");
    }
}
