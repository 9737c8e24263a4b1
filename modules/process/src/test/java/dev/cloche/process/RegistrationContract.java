package dev.cloche.process;

import static dev.cloche.process.ContractFixture.failure;
import static dev.cloche.process.ContractFixture.registration;
import static dev.cloche.process.ContractFixture.success;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cloche.base.Deadline;
import dev.cloche.process.EventType.DedupeKey;
import dev.cloche.process.EventType.TerminalRule;
import dev.cloche.process.EventType.WakeRule;
import dev.cloche.process.rules.RegistrationRules;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

/** Registering, reading and naming processes. */
public interface RegistrationContract extends ContractFixture {
    @Test
    default void aNewProcessRunsAndHasTheCoreTypesBesideItsOwn() {
        ProcessRecord record = registry().register(registration("p"));
        assertThat(record.status()).isEqualTo(ProcessStatus.RUNNING);
        assertThat(record.output()).isEmpty();
        assertThat(record.lastSequence()).isZero();
        assertThat(record.createdAt()).isEqualTo(record.updatedAt());
        assertThat(record.hash()).matches("[0-9a-f]{64}");
        assertThat(record.registration().eventTypes())
                .extracting(EventType::name)
                .containsExactly(
                        "note",
                        "process.cancel_requested",
                        "process.cancelled",
                        "process.completed",
                        "process.failed",
                        "said");
        assertThat(registry().get("p")).contains(record);
    }

    @Test
    default void everythingOfARegistrationIsKept() {
        EventType rich = new EventType(
                "rich",
                // One with a schema needs the artefact that checks it, whose tests have this case.
                Optional.empty(),
                Optional.of(
                        new TerminalRule(ProcessStatus.FAILED, Optional.of(new Selector.Template("{{{a}}} and {b}")))),
                Optional.of(new WakeRule(
                        Optional.of(new Selector.Present("/x~1y")),
                        new Selector.Constant(Json.parse("[1,null]")),
                        new DedupeKey.Selected(new Selector.Whole()))));
        ProcessRegistration given = new ProcessRegistration(
                "p/ü 🜁",
                new ProcessInput("some_new_input", Json.parse("{\"deep\":{\"er\":[1.5,\"\\u0000\"]}}")),
                List.of(rich),
                new Provenance(SessionScope.of("s", "f"), "profile", Optional.of(Json.parse("{\"turn\":\"t1\"}"))),
                new RecoveryPolicy.OwnerBound(),
                true);
        ProcessRecord stored = registry().register(given);
        assertThat(stored.registration())
                .isEqualTo(RegistrationRules.prepare(given).registration());
        assertThat(registry().get(given.id()).orElseThrow().registration()).isEqualTo(stored.registration());
        assertThat(stored.registration().eventTypes()).contains(rich);
    }

    @Test
    default void aCallersDeclarationOfACoreTypeWins() {
        EventType own = new EventType(
                EventType.COMPLETED,
                Optional.empty(),
                Optional.of(new TerminalRule(ProcessStatus.COMPLETED, Optional.empty())),
                Optional.empty());
        ProcessRecord record = registry().register(registration("p", own));
        assertThat(record.registration().eventTypes())
                .filteredOn(type -> type.name().equals(EventType.COMPLETED))
                .containsExactly(own);
        assertThat(record.registration().eventTypes()).hasSize(4);
    }

    @Test
    default void registeringTheSameAgainFindsWhatIsThereUnchangedAlsoAfterItsEnd() {
        ProcessRecord first = registry().register(registration("p"));
        assertThat(registry().register(registration("p"))).isEqualTo(first);
        registry().complete("p", success(1));
        ProcessRecord ended = registry().get("p").orElseThrow();
        assertThat(registry().register(registration("p"))).isEqualTo(ended);
        assertThat(ended.output()).contains(success(1));
        assertThat(ended.status()).isEqualTo(ProcessStatus.COMPLETED);
    }

    @Test
    default void theOrderOfTypesAndTheSpellingOfJsonDoNotMatter() {
        EventType one = EventType.plain("one");
        EventType two = EventType.plain("two");
        ProcessRecord first = registry().register(registration("p", one, two));
        assertThat(registry().register(registration("p", two, one))).isEqualTo(first);
    }

    @Test
    default void registeringSomethingElseUnderATakenIdIsAConflictThatNamesBothHashes() {
        ProcessRecord first = registry().register(registration("p"));
        ProcessRegistration other = registration("p").withLeaseRequired(true);
        assertThatThrownBy(() -> registry().register(other))
                .isInstanceOfSatisfying(ProcessException.RegistrationConflict.class, conflict -> {
                    assertThat(conflict.storedHash()).isEqualTo(first.hash());
                    assertThat(conflict.givenHash())
                            .isEqualTo(RegistrationRules.prepare(other).hash());
                    assertThat(conflict).hasMessageContainingAll(first.hash(), conflict.givenHash());
                });
        assertThat(registry().get("p")).contains(first);
    }

    @Test
    default void anIdThatIsNotThereIsEmptyToGetAndAnErrorToAllElse() {
        ProcessRegistry registry = registry();
        Lease lease = new Lease("none", "o", "t", 1, Instant.EPOCH, Instant.EPOCH);
        Duration ttl = Duration.ofSeconds(1);
        assertThat(registry.get("none")).isEmpty();
        List<ThrowingCallable> calls = List.of(
                () -> registry.append("none", ContractFixture.note(1)),
                () -> registry.append(lease, ContractFixture.note(1)),
                () -> registry.complete("none", success(1)),
                () -> registry.completeWithLease(lease, success(1)),
                () -> registry.cancel("none", "why"),
                () -> registry.setExternalRef("none", new ExternalRef("b", "i", Optional.empty())),
                () -> registry.eventsAfter("none", 0, 1),
                () -> registry.wakeEventsAfter("none", 0, 1),
                () -> registry.ackWake("none", 1),
                () -> registry.awaitProcess("none", Deadline.none()),
                () -> registry.awaitEventAfter("none", "note", 0, Deadline.none()),
                () -> registry.awaitEventsAfter("none", 0, 1, Deadline.none()),
                () -> registry.claim("none", "o", ttl),
                () -> registry.renew(lease, ttl),
                () -> registry.release(lease),
                () -> registry.grant(OWNER, "none", HandleDescriptor.NONE),
                () -> registry.revoke(OWNER, "none"),
                () -> registry.hasGrant(OWNER, "none"),
                () -> registry.grantsOf("none"),
                () -> registry.transfer(OWNER, SessionScope.of("x"), List.of("none")));
        for (var call : calls) {
            assertThatThrownBy(call)
                    .isInstanceOf(ProcessException.Unknown.class)
                    .hasMessageContaining("none");
        }
    }

    @Test
    default void anExternalReferenceIsReplacedAndMovesTheTimeAlsoAfterTheEnd() {
        registry().register(registration("p"));
        ExternalRef first = new ExternalRef("queue", "1", Optional.empty());
        ExternalRef second = new ExternalRef("queue", "2", Optional.of(Json.parse("{\"shard\":3}")));
        assertThat(registry().setExternalRef("p", first).externalRef()).contains(first);
        registry().complete("p", success(1));
        ProcessRecord ended = registry().get("p").orElseThrow();
        ProcessRecord again = registry().setExternalRef("p", second);
        assertThat(again.externalRef()).contains(second);
        assertThat(again.updatedAt()).isAfterOrEqualTo(ended.updatedAt());
        assertThat(again.status()).isEqualTo(ProcessStatus.COMPLETED);
    }

    @Test
    default void listsAreByIdInCodePointsAndInPages() {
        // U+FF5E sorts after U+1F701 in UTF-16 and before it in code points.
        List<String> ids = List.of("B", "a", "b", "é", "～", "🜁");
        ids.reversed().forEach(id -> registry().register(registration(id)));
        registry().complete("b", failure("x"));
        assertThat(registry().list(new ProcessQuery(false, Optional.empty(), 10)))
                .extracting(ProcessRecord::id)
                .isEqualTo(ids);
        assertThat(registry().list(new ProcessQuery(false, Optional.of("a"), 2)))
                .extracting(ProcessRecord::id)
                .containsExactly("b", "é");
        assertThat(registry().listNonTerminal(Optional.of("a"), 3))
                .extracting(ProcessRecord::id)
                .containsExactly("é", "～", "🜁");
        assertThatThrownBy(() -> registry().listNonTerminal(Optional.empty(), 0))
                .isInstanceOf(ProcessException.Invalid.class);
    }
}
