package dev.cloche;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cloche.sandbox.MaintenanceLimits;
import dev.cloche.sandbox.TemplateMaking;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** What is so by default, and that each setting is kept beside the others. */
class ClocheOptionsTest {
    private static final Map<String, String> ENVIRONMENT = Map.of("CLOCHE_HOME", "/state");

    @Test
    void theDefaults() {
        ClocheOptions options = ClocheOptions.of(ENVIRONMENT, Optional.of("/launcher"));
        assertThat(options.home()).isEqualTo(Path.of("/state"));
        assertThat(options.share()).isEqualTo(List.of(Path.of("/launcher")));
        assertThat(options.temporary()).isEmpty();
        assertThat(options.logins()).isEmpty();
        assertThat(options.templateMaking()).isEqualTo(new TemplateMaking.InBackground());
        assertThat(options.maintenance()).isEqualTo(MaintenanceLimits.defaults());
    }

    @Test
    void theTemporaryDirectoryIsNamedByTheEnvironmentOrTheApplication() {
        ClocheOptions options = ClocheOptions.of(Map.of("CLOCHE_TMP", "/t", "CLOCHE_HOME", "/state"), Optional.empty());
        assertThat(options.temporary()).contains(Path.of("/t"));
        assertThat(options.withTemporary(Path.of("/u"))
                        .withHome(Path.of("/other"))
                        .temporary())
                .contains(Path.of("/u"));
    }

    @Test
    void theLimitsOfMaintenanceStayBesideOtherSettings() {
        MaintenanceLimits limits = MaintenanceLimits.defaults()
                .withBudget(Duration.ofSeconds(1))
                .withChanges(7)
                .withRemovals(8)
                .withWindow(Duration.ofMinutes(2));
        ClocheOptions options = ClocheOptions.of(ENVIRONMENT, Optional.empty())
                .withMaintenance(limits)
                .withTemplateMaking(new TemplateMaking.Never())
                .withHome(Path.of("/other"))
                .withShare(Path.of("/share"));
        assertThat(options.maintenance()).isEqualTo(limits);
    }

    @Test
    void limitsThatMakeNoSenseAreRefused() {
        MaintenanceLimits limits = MaintenanceLimits.defaults();
        assertThatThrownBy(() -> limits.withBudget(Duration.ZERO)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> limits.withBudget(Duration.ofSeconds(10)))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> limits.withChanges(0)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> limits.withRemovals(0)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> limits.withWindow(Duration.ofSeconds(-1)))
                .isInstanceOf(IllegalArgumentException.class);
    }
}
