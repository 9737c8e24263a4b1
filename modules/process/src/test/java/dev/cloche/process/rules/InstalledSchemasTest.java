package dev.cloche.process.rules;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cloche.process.EventAppend;
import dev.cloche.process.EventType;
import dev.cloche.process.Json;
import dev.cloche.process.ProcessException;
import dev.cloche.process.ProcessInput;
import dev.cloche.process.ProcessRegistration;
import dev.cloche.process.Provenance;
import dev.cloche.process.SessionScope;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class InstalledSchemasTest {
    /** Another program, which has the artefact, may have registered the process. */
    @Test
    void aPayloadIsNotTakenUncheckedWhereNothingChecksIt() {
        ProcessRegistration registration = ProcessRegistration.of(
                        "p",
                        new ProcessInput("work", Json.NULL),
                        new Provenance(SessionScope.of("session"), "host", Optional.empty()))
                .withEventTypes(
                        new EventType("checked", Optional.of(Json.TRUE), Optional.empty(), Optional.empty()),
                        EventType.plain("plain"));
        assertThat(AppendRules.examine(registration, EventAppend.of("checked", Json.NULL))
                        .failure())
                .containsInstanceOf(ProcessException.SchemasMissing.class);
        assertThat(AppendRules.examine(registration, EventAppend.of("plain", Json.NULL))
                        .failure())
                .isEmpty();
    }
}
