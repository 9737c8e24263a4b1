package dev.cloche.tools;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

class ToolSettingsTest {
    private static final ToolSettings SETTINGS = ToolSettings.defaults();

    @Test
    void whatIsOutOfRangeIsRefused() {
        refused(() -> SETTINGS.withTimeout(Duration.ZERO), "A timeout of 0s");
        refused(() -> SETTINGS.withShownCharacters(99), "99 characters");
        refused(() -> SETTINGS.withOutputLimit(0), "not 0 bytes");
        refused(() -> SETTINGS.withWorkingDirectory("work"), "\"work\"");
    }

    private static void refused(ThrowingCallable call, String part) {
        assertThatThrownBy(call)
                .isInstanceOf(ToolException.InvalidSettings.class)
                .hasMessageContaining(part)
                .hasFieldOrPropertyWithValue("code", "tools.invalid-settings");
    }
}
