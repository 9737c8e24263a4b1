package dev.cloche.schema;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cloche.catalog.Catalog;
import dev.cloche.process.EventAppend;
import dev.cloche.process.EventType;
import dev.cloche.process.Json;
import dev.cloche.process.ProcessException;
import dev.cloche.process.ProcessInput;
import dev.cloche.process.ProcessRegistration;
import dev.cloche.process.ProcessRegistry;
import dev.cloche.process.Provenance;
import dev.cloche.process.SessionScope;
import dev.cloche.process.SqliteProcessStore;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A registry finds this artefact where it is on the class path. */
class RegistrySchemasTest {
    @TempDir
    Path root;

    private Catalog catalog;
    private ProcessRegistry registry;

    @BeforeEach
    void open() {
        catalog = Catalog.open(root, List.of(SqliteProcessStore.schema()));
        registry = ProcessRegistry.over(SqliteProcessStore.open(catalog, root));
    }

    @AfterEach
    void close() {
        registry.close();
        catalog.close();
    }

    private void register(String schema) {
        registry.register(ProcessRegistration.of(
                        "p",
                        new ProcessInput("work", Json.NULL),
                        new Provenance(SessionScope.of("session"), "host", Optional.empty()))
                .withEventTypes(
                        new EventType("checked", Optional.of(Json.parse(schema)), Optional.empty(), Optional.empty())));
    }

    @Test
    void aPayloadThatBreaksTheSchemaIsRefused() {
        register("{\"type\":\"object\",\"required\":[\"n\"],\"properties\":{\"n\":{\"minimum\":3}}}");
        assertThatThrownBy(() -> registry.append("p", EventAppend.of("checked", Json.parse("{\"n\":2}"))))
                .isInstanceOf(ProcessException.PayloadInvalid.class)
                .hasMessageContaining("/n");
        assertThatThrownBy(() -> registry.append("p", EventAppend.of("checked", Json.parse("{}"))))
                .isInstanceOf(ProcessException.PayloadInvalid.class);
        assertThat(registry.append("p", EventAppend.of("checked", Json.parse("{\"n\":3}")))
                        .event()
                        .sequence())
                .isEqualTo(1);
    }

    @Test
    void aSchemaIsKeptAsItWasDeclared() {
        register("{\"type\":\"object\"}");
        assertThat(registry.get("p").orElseThrow().registration().eventTypes())
                .contains(new EventType(
                        "checked",
                        Optional.of(Json.parse("{\"type\":\"object\"}")),
                        Optional.empty(),
                        Optional.empty()));
    }

    @Test
    void aSchemaThatIsNoneIsRefusedBeforeAnythingIsRecorded() {
        assertThatThrownBy(() -> register("{\"type\":\"nonsense\"}")).isInstanceOf(ProcessException.Invalid.class);
        assertThat(registry.get("p")).isEmpty();
    }
}
