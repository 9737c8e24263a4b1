package dev.cloche.process;

import static dev.cloche.process.ContractFixture.note;
import static dev.cloche.process.ContractFixture.registration;
import static dev.cloche.process.ContractFixture.said;
import static dev.cloche.process.ContractFixture.success;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** What is kept, and what happens when it cannot be. */
public interface DurabilityContract extends ContractFixture {
    @Test
    default void aStoreOfOneProgramDoesNotClaimToBeDurable() {
        if (registry().durability() == Durability.DURABLE) {
            assertThat(another().durability()).isEqualTo(Durability.DURABLE);
        }
    }

    @Test
    default void everythingIsThereWhenItIsOpenedAgain() {
        ProcessRegistry second = another();
        registry().register(registration("p"));
        registry().setExternalRef("p", new ExternalRef("b", "i", Optional.of(Json.TRUE)));
        registry().append("p", note(1).withReplayKey("k").withCausedBy(Json.of("me")));
        registry().append("p", said("hi").withWakeTarget(SessionScope.of("s", "f")));
        registry().grant(SessionScope.of("s"), "p", GrantContract.SHELL);
        Lease lease = registry().claim("p", "ann", LeaseContract.LONG);
        ProcessRecord record = registry().get("p").orElseThrow();
        List<ProcessEvent> events = registry().eventsAfter("p", 0, 9);
        List<WakeEvent> wakes = registry().wakeEventsAfter("p", 0, 9);
        registry().close();
        assertThat(second.get("p")).contains(record);
        assertThat(second.eventsAfter("p", 0, 9)).isEqualTo(events);
        assertThat(second.wakeEventsAfter("p", 0, 9)).isEqualTo(wakes).hasSize(1);
        assertThat(second.grantsOf("p")).containsExactly(new Grant(SessionScope.of("s"), "p", GrantContract.SHELL));
        assertThatThrownBy(() -> second.claim("p", "bob", LeaseContract.LONG))
                .isInstanceOf(ProcessException.AlreadyLeased.class);
        second.completeWithLease(lease, success(1));
    }

    @Test
    default void aFailingStoreIsAnErrorAndLeavesNoPartOfAWrite() {
        registry().register(registration("p"));
        registry().grant(OWNER, "p", HandleDescriptor.NONE);
        ProcessRecord before = registry().get("p").orElseThrow();
        EventAppend wakes = said("x").withWakeTarget(OWNER);
        for (int nth = 1; nth <= 3; nth++) {
            ProcessRegistry failing = failingAtWrite(nth);
            assertThatThrownBy(() -> failing.append("p", wakes)).isInstanceOf(ProcessException.StoreFailed.class);
            assertThat(registry().get("p")).contains(before);
            assertThat(registry().eventsAfter("p", 0, 9)).isEmpty();
            assertThat(registry().wakeEventsAfter("p", 0, 9)).isEmpty();
        }
        ProcessRegistry failing = failingAtWrite(1);
        assertThatThrownBy(() -> failing.register(registration("q"))).isInstanceOf(ProcessException.StoreFailed.class);
        assertThatThrownBy(() -> failing.claim("p", "ann", LeaseContract.LONG))
                .isInstanceOf(ProcessException.StoreFailed.class);
        assertThatThrownBy(() -> failing.complete("p", success(1))).isInstanceOf(ProcessException.StoreFailed.class);
        assertThatThrownBy(() -> failing.deleteSession(OWNER.session()))
                .isInstanceOf(ProcessException.StoreFailed.class);
        assertThat(registry().get("q")).isEmpty();
        assertThat(registry().get("p")).contains(before);
        assertThat(registry().claim("p", "ann", LeaseContract.LONG).fence()).isEqualTo(1);
        assertThat(registry().hasGrant(OWNER, "p")).isTrue();
    }

    @Test
    default void afterItsEndTheRegistryRefusesAllCalls() {
        ProcessRegistry registry = registry();
        registry.register(registration("p"));
        registry.close();
        registry.close();
        assertThatThrownBy(() -> registry.get("p")).isInstanceOf(ProcessException.Closed.class);
        assertThatThrownBy(() -> registry.append("p", note(1))).isInstanceOf(ProcessException.Closed.class);
    }

    @Test
    default void longLogsAndLargePayloadsAreReadInPages() {
        registry().register(registration("p"));
        String large = "x".repeat(200_000);
        registry().append("p", EventAppend.of("note", Json.of(large)));
        for (int i = 0; i < 1_500; i++) {
            registry().append("p", note(i));
        }
        List<Long> read = new ArrayList<>();
        for (List<ProcessEvent> page = registry().eventsAfter("p", 0, 400);
                !page.isEmpty();
                page = registry().eventsAfter("p", read.getLast(), 400)) {
            page.forEach(event -> read.add(event.sequence()));
        }
        assertThat(read).hasSize(1_501).isSorted().doesNotHaveDuplicates();
        assertThat(registry().eventsAfter("p", 0, 1).getFirst().payload()).isEqualTo(Json.of(large));
        assertThatThrownBy(() -> registry().eventsAfter("p", 0, ProcessRegistry.LARGEST_PAGE + 1))
                .isInstanceOf(ProcessException.Invalid.class);
    }
}
