package dev.cloche.process.rules;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cloche.process.ContractFixture;
import dev.cloche.process.EventType;
import dev.cloche.process.Json;
import dev.cloche.process.ProcessException;
import dev.cloche.process.ProcessInput;
import dev.cloche.process.ProcessRegistration;
import dev.cloche.process.Provenance;
import dev.cloche.process.RecoveryPolicy;
import dev.cloche.process.SessionScope;
import dev.cloche.process.store.RegistrationJson;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class RegistrationRulesTest {
    /** The encoding is what the hashes of all stored processes are of: it must never change. */
    @Test
    void theHashIsOfTheCanonicalEncodingVersionOne() {
        RegistrationRules.Prepared prepared = RegistrationRules.prepare(ProcessRegistration.of(
                "p",
                new ProcessInput("external", Json.NULL),
                new Provenance(SessionScope.of("s"), "h", Optional.empty())));
        assertThat(RegistrationJson.write(prepared.registration()).text())
                .isEqualTo("{\"event_types\":[{\"name\":\"process.cancel_requested\"},"
                        + terminal("cancelled") + "," + terminal("completed") + "," + terminal("failed")
                        + "],\"id\":\"p\",\"input\":{\"payload\":null,\"type\":\"external\"},\"lease_required\":false,"
                        + "\"provenance\":{\"host_profile_id\":\"h\",\"owner_scope\":[\"s\"]},"
                        + "\"recovery\":{\"attempts\":3,\"type\":\"rerunnable\"},\"version\":1}");
        assertThat(prepared.hash()).isEqualTo(JsonDigests.sha256(RegistrationJson.write(prepared.registration())));
    }

    private static String terminal(String state) {
        return "{\"name\":\"process." + state + "\",\"terminal\":{\"await_output\":{\"pointer\":\"/await_output\","
                + "\"type\":\"pointer\"},\"state\":\"" + state + "\"}}";
    }

    @Test
    void eachPartOfARegistrationIsPartOfItsHash() {
        ProcessRegistration base = ContractFixture.registration("p");
        assertThat(Stream.of(
                                base,
                                ContractFixture.registration("q"),
                                base.withLeaseRequired(true),
                                base.withRecovery(new RecoveryPolicy.OwnerBound()),
                                base.withRecovery(new RecoveryPolicy.Rerunnable(4)),
                                base.withEventTypes(),
                                ProcessRegistration.of("p", base.input(), base.provenance())
                                        .withEventTypes(EventType.plain("note")))
                        .map(each -> RegistrationRules.prepare(each).hash())
                        .distinct())
                .hasSize(7);
    }

    @Test
    void blankAndDuplicateNamesAreRefused() {
        assertThatThrownBy(() -> ContractFixture.registration(" ")).isInstanceOf(ProcessException.Invalid.class);
        assertThatThrownBy(() -> new Provenance(SessionScope.of("s"), " ", Optional.empty()))
                .isInstanceOf(ProcessException.Invalid.class);
        assertThatThrownBy(() -> ContractFixture.registration("p", EventType.plain("a"), EventType.plain("a")))
                .isInstanceOf(ProcessException.Invalid.class)
                .hasMessageContaining("\"a\"");
        assertThatThrownBy(() -> ContractFixture.registration("p", EventType.plain(EventType.ABANDONED)))
                .isInstanceOf(ProcessException.Invalid.class);
        assertThatThrownBy(() -> new RecoveryPolicy.Rerunnable(0)).isInstanceOf(ProcessException.Invalid.class);
    }
}
