package dev.cloche;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cloche.catalog.CatalogSchema;
import java.net.URL;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class MigrationsTest {
    /** A migration that a room brings and does not declare would never be run, nor one that it declares and does not bring. */
    @ParameterizedTest
    @MethodSource("schemas")
    void everyMigrationIsDeclaredAndEveryDeclaredOneExists(CatalogSchema schema) throws Exception {
        URL location = Rooms.class.getClassLoader().getResource(schema.location());
        assertThat(location).isNotNull();
        assertThat(Resources.namesIn(location))
                .filteredOn(name -> name.endsWith(".sql"))
                .containsExactlyInAnyOrderElementsOf(IntStream.rangeClosed(1, schema.version())
                        .mapToObj(version -> "V" + version + "__"
                                + schema.migrations().get(version - 1).name() + ".sql")
                        .toList());
    }

    static List<CatalogSchema> schemas() {
        return Rooms.SCHEMAS;
    }
}
