package dev.cloche.cli.host;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cloche.MaintenanceResult;
import org.junit.jupiter.api.Test;

class MaintainCommandTest {
    @Test
    void saysWhatWasDoneAndOfWhatIsRareNothingWhereThereWasNone() {
        assertThat(MaintainCommand.text(new MaintenanceResult(true, 9, 1, 2, 0, 0, 3, false)))
                .isEqualTo("recorded 1 end, removed 2 sandboxes, 3 resisted");
        assertThat(MaintainCommand.text(new MaintenanceResult(true, 9, 0, 0, 1, 2, 0, false)))
                .isEqualTo("recorded 0 ends, removed 0 sandboxes, and what 2 machines left, suspended 1 sandbox held at"
                        + " the deadline, 0 resisted");
    }
}
