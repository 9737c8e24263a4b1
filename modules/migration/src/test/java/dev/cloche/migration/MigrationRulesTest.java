package dev.cloche.migration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;

class MigrationRulesTest {
    private static final List<MigrationScript> SCRIPTS =
            List.of(script(1, "CREATE TABLE a (x)"), script(2, "CREATE TABLE b (x)"), script(3, "CREATE TABLE c (x)"));

    @Test
    void whatTheHistoryLacksIsDueInItsOrder() throws MigrationException {
        assertThat(MigrationRules.due(SCRIPTS, List.of(), 0)).isEqualTo(SCRIPTS);
        assertThat(MigrationRules.due(SCRIPTS, applied(1), 1)).isEqualTo(SCRIPTS.subList(1, 3));
        assertThat(MigrationRules.due(SCRIPTS, applied(3), 3)).isEmpty();
    }

    @Test
    void aHistoryMayBeAheadOfTheRecord() throws MigrationException {
        assertThat(MigrationRules.due(SCRIPTS, applied(2), 1)).isEqualTo(SCRIPTS.subList(2, 3));
    }

    @Test
    void whatIsNewerIsRefusedByHistoryAndByRecord() {
        assertThatThrownBy(() -> MigrationRules.due(SCRIPTS.subList(0, 1), applied(2), 1))
                .isInstanceOf(MigrationException.Newer.class)
                .hasMessage("it has version 2, and this program knows up to 1");
        assertThatThrownBy(() -> MigrationRules.due(SCRIPTS, applied(1), 4))
                .isInstanceOf(MigrationException.Newer.class);
    }

    @Test
    void aScriptThatWasChangedAndAGapAreRefused() {
        List<AppliedMigration> changed = List.of(new AppliedMigration(1, "V1__1.sql", 7, 0));
        assertThatThrownBy(() -> MigrationRules.due(SCRIPTS, changed, 1))
                .isInstanceOf(MigrationException.Unfit.class)
                .hasMessageStartingWith("V1__1.sql was applied with the checksum 7, and this program's has ");
        assertThatThrownBy(() -> MigrationRules.due(SCRIPTS, applied(2).subList(1, 2), 2))
                .isInstanceOf(MigrationException.Unfit.class)
                .hasMessage("it has 2 where 1 should stand");
        assertThatThrownBy(() -> MigrationRules.due(SCRIPTS, applied(1), 2))
                .isInstanceOf(MigrationException.Unfit.class)
                .hasMessage("version 2 is recorded, and the history ends with 1");
    }

    private static List<AppliedMigration> applied(int count) {
        return SCRIPTS.subList(0, count).stream()
                .map(script -> new AppliedMigration(script.version(), script.file(), script.checksum(), 1))
                .toList();
    }

    private static MigrationScript script(int version, String sql) {
        return new MigrationScript(version, "V" + version + "__" + version + ".sql", sql);
    }
}
