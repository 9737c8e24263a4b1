package dev.cloche.linux;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class BootTimeTest {
    @Test
    void theTimeSinceTheBootIsReadFromTheKernel() {
        assertThat(BootTime.millis("12345.67 54321.00\n")).isEqualTo(12_345_670);
        Duration earlier = BootTime.now();
        assertThat(earlier).isPositive();
        assertThat(BootTime.now()).isGreaterThanOrEqualTo(earlier);
    }
}
