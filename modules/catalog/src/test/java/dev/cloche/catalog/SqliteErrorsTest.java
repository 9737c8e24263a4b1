package dev.cloche.catalog;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.sqlite.SQLiteErrorCode;
import org.sqlite.SQLiteException;

class SqliteErrorsTest {
    @ParameterizedTest
    @CsvSource({
        "SQLITE_BUSY_RECOVERY, catalog.busy",
        "SQLITE_READONLY_DIRECTORY, catalog.denied",
        "SQLITE_NOTADB, catalog.corrupt",
        "SQLITE_FULL, catalog.no-space",
        "SQLITE_IOERR_SHMSIZE, catalog.no-space",
        "SQLITE_IOERR_READ, catalog.failed",
        "SQLITE_CONSTRAINT_UNIQUE, catalog.constraint"
    })
    void tellsResultCodesApart(SQLiteErrorCode resultCode, String code) {
        SQLiteException failure = new SQLiteException("a statement failed", resultCode);

        assertThat(SqliteErrors.translate(Path.of("catalog.db"), failure).code())
                .isEqualTo(code);
    }
}
