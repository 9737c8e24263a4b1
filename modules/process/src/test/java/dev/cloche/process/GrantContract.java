package dev.cloche.process;

import static dev.cloche.process.ContractFixture.registration;
import static dev.cloche.process.ContractFixture.said;
import static dev.cloche.process.ContractFixture.success;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Handles of sessions. */
public interface GrantContract extends ContractFixture {
    HandleDescriptor SHELL = new HandleDescriptor(Optional.of("shell"), Optional.of("My shell"));

    @Test
    default void aHandleIsGivenReplacedListedAndTakenAway() {
        SessionScope scope = SessionScope.of("s");
        registry().register(registration("p"));
        assertThat(registry().hasGrant(scope, "p")).isFalse();
        registry().grant(scope, "p", HandleDescriptor.NONE);
        registry().grant(scope, "p", SHELL);
        assertThat(registry().hasGrant(scope, "p")).isTrue();
        assertThat(registry().grantsOf("p")).containsExactly(new Grant(scope, "p", SHELL));
        registry().revoke(scope, "p");
        registry().revoke(scope, "p");
        assertThat(registry().hasGrant(scope, "p")).isFalse();
        assertThat(registry().grantsOf("p")).isEmpty();
    }

    @Test
    default void listsAreByProcessAndHaveTheRecords() {
        SessionScope scope = SessionScope.of("s");
        for (String id : List.of("c", "a", "b")) {
            registry().register(registration(id));
            registry().grant(scope, id, SHELL);
        }
        registry().register(registration("other"));
        registry().complete("b", success(1));
        assertThat(registry().grants(scope, Optional.empty(), 9))
                .extracting(granted -> granted.process().id())
                .containsExactly("a", "b", "c");
        assertThat(registry().grants(scope, Optional.of("a"), 1))
                .containsExactly(new GrantedProcess(
                        new Grant(scope, "b", SHELL), registry().get("b").orElseThrow()));
        assertThat(registry().liveGrants(scope, Optional.empty(), 9))
                .extracting(granted -> granted.process().id())
                .containsExactly("a", "c");
    }

    @Test
    default void handlesToAProcessAreBySessionAndScope() {
        registry().register(registration("p"));
        List<SessionScope> scopes = List.of(
                SessionScope.of("a"), SessionScope.of("a", "1"), SessionScope.of("a", "2"), SessionScope.of("b"));
        scopes.reversed().forEach(scope -> registry().grant(scope, "p", HandleDescriptor.NONE));
        assertThat(registry().grantsOf("p")).extracting(Grant::scope).containsExactlyInAnyOrderElementsOf(scopes);
        assertThat(registry().grantsOf("p"))
                .extracting(grant -> grant.scope().session())
                .isSorted();
    }

    @Test
    default void differentScopesNeverMeetForAllNames() {
        registry().register(registration("p"));
        List<SessionScope> scopes = List.of(
                SessionScope.of("a", "b"),
                SessionScope.of("a/b"),
                SessionScope.of("a:b"),
                SessionScope.of("[\"a\",\"b\"]"),
                SessionScope.of("a\",\"b"),
                SessionScope.of("a\\", "b"),
                SessionScope.of("a", "\\b"),
                SessionScope.of("a%", "_"),
                SessionScope.of("A", "b"));
        assertThat(scopes.stream().map(SessionScope::key).distinct()).hasSameSizeAs(scopes);
        for (SessionScope scope : scopes) {
            assertThat(registry().hasGrant(scope, "p")).isFalse();
            registry().grant(scope, "p", HandleDescriptor.NONE);
        }
        assertThat(registry().grantsOf("p")).hasSameSizeAs(scopes);
        registry().deleteSession("a%");
        registry().revoke(SessionScope.of("a/b"), "p");
        assertThat(registry().grantsOf("p")).hasSize(scopes.size() - 2);
    }

    @Test
    default void aTransferMovesHandlesWithTheirDescriptors() {
        SessionScope from = SessionScope.of("from");
        SessionScope to = SessionScope.of("to", "frame");
        for (String id : List.of("a", "b", "stays")) {
            registry().register(registration(id));
            registry().grant(from, id, SHELL);
        }
        registry().grant(to, "b", HandleDescriptor.NONE);
        await().untilAsserted(() ->
                assertThat(registry().changes(Optional.empty(), 99).changes()).hasSize(3));
        registry().transfer(from, to, List.of("b", "a", "b"));
        assertThat(registry().grants(to, Optional.empty(), 9))
                .extracting(GrantedProcess::grant)
                .containsExactly(new Grant(to, "a", SHELL), new Grant(to, "b", SHELL));
        assertThat(registry().grants(from, Optional.empty(), 9))
                .extracting(granted -> granted.process().id())
                .containsExactly("stays");
        assertThat(registry().changes(Optional.empty(), 99).changes()).hasSize(3);
        registry().transfer(to, to, List.of("a"));
        assertThat(registry().hasGrant(to, "a")).isTrue();
    }

    @Test
    default void aTransferWithAMissingHandleNamesTheSessionAndMovesNothing() {
        SessionScope from = SessionScope.of("from");
        SessionScope to = SessionScope.of("to");
        registry().register(registration("a"));
        registry().register(registration("b"));
        registry().grant(from, "a", SHELL);
        assertThatThrownBy(() -> registry().transfer(from, to, List.of("a", "b")))
                .isInstanceOf(ProcessException.NotGranted.class)
                .hasMessageContainingAll("\"from\"", "\"b\"");
        assertThat(registry().hasGrant(from, "a")).isTrue();
        assertThat(registry().hasGrant(to, "a")).isFalse();
    }

    @Test
    default void aTransferWhoseStoreFailsMidwayMovesNothing() {
        SessionScope from = SessionScope.of("from");
        SessionScope to = SessionScope.of("to");
        for (String id : List.of("a", "b")) {
            registry().register(registration(id));
            registry().grant(from, id, SHELL);
        }
        for (int nth = 1; nth <= 4; nth++) {
            ProcessRegistry failing = failingAtWrite(nth);
            assertThatThrownBy(() -> failing.transfer(from, to, List.of("a", "b")))
                    .isInstanceOf(ProcessException.StoreFailed.class);
            assertThat(registry().grants(from, Optional.empty(), 9)).hasSize(2);
            assertThat(registry().grants(to, Optional.empty(), 9)).isEmpty();
        }
    }

    @Test
    default void deletingASessionSaysWhatIsLeftToDoAndDoesNothingElse() {
        for (String id : List.of("z-mine", "mine", "shared", "ended", "unrelated")) {
            registry().register(registration(id));
        }
        for (String id : List.of("z-mine", "mine", "shared", "ended")) {
            registry().grant(SessionScope.of("s"), id, SHELL);
            registry().grant(SessionScope.of("s", "frame"), id, SHELL);
        }
        registry().grant(SessionScope.of("other", "s"), "shared", SHELL);
        registry().complete("ended", success(1));
        registry().append("mine", said("1").withWakeTarget(SessionScope.of("s", "frame")));
        registry().append("mine", said("2").withWakeTarget(SessionScope.of("s")));
        registry().append("mine", said("3").withWakeTarget(SessionScope.of("other")));
        registry().ackWake("mine", 1);
        SessionDeletion deletion = registry().deleteSession("s");
        assertThat(deletion).isEqualTo(new SessionDeletion("s", 8, 1, List.of("mine", "z-mine"), List.of("shared")));
        assertThat(registry().wakeEventsAfter("mine", 0, 9))
                .extracting(woken -> woken.event().sequence())
                .containsExactly(3L);
        assertThat(registry().get("mine").orElseThrow().status()).isEqualTo(ProcessStatus.RUNNING);
        assertThat(registry().hasGrant(SessionScope.of("other", "s"), "shared")).isTrue();
        assertThat(registry().deleteSession("s")).isEqualTo(new SessionDeletion("s", 0, 0, List.of(), List.of()));
    }
}
