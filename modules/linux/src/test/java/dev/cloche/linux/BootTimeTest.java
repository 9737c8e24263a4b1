package dev.cloche.linux;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class BootTimeTest {
    @Test
    void theTimeSinceTheBootIsReadFromTheKernel() {
        assertThat(BootTime.millis("12345.67 54321.00\n")).isEqualTo(12_345_670);
        assertThat(BootTime.now()).isPositive();
        assertThat(BootTime.now()).isGreaterThanOrEqualTo(BootTime.now().minusSeconds(1));
    }
}
