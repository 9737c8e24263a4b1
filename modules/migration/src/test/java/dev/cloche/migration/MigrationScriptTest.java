package dev.cloche.migration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class MigrationScriptTest {
    /** Flyway 13.12 recorded this checksum of the file with a line feed at its end. */
    @ParameterizedTest
    @ValueSource(strings = {"\n", "\r\n", ""})
    void hasFlywaysChecksumHoweverItsLinesEnd(String end) {
        String sql = "CREATE TABLE note (id INTEGER PRIMARY KEY, text TEXT NOT NULL UNIQUE) STRICT;" + end;
        assertThat(new MigrationScript(1, "V1__notes.sql", sql).checksum()).isEqualTo(1519443166);
    }

    @Test
    void aScriptThatIsMissingIsNamed() {
        ClassLoader loader = getClass().getClassLoader();
        assertThatThrownBy(() -> MigrationScript.load(loader, "nowhere", 3, "things"))
                .hasMessage("the class path lacks nowhere/V3__things.sql");
    }
}
