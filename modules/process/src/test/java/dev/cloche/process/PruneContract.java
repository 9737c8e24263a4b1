package dev.cloche.process;

import static dev.cloche.process.ContractFixture.failure;
import static dev.cloche.process.ContractFixture.note;
import static dev.cloche.process.ContractFixture.registration;
import static dev.cloche.process.ContractFixture.said;
import static dev.cloche.process.ContractFixture.success;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Forgetting processes. */
public interface PruneContract extends ContractFixture {
    @Test
    default void whatHasEndedBeforeTheCutoffIsForgottenWithAllThatBelongsToIt() {
        registry().register(registration("p"));
        registry().append("p", said("hi").withWakeTarget(OWNER));
        registry().ackWake("p", 1);
        registry().complete("p", success(1));
        ProcessPruneRequest old = ProcessPruneRequest.unusedFor(Duration.ofDays(1));
        assertThat(registry().prunePlan(old)).isEmpty();
        assertThat(registry().prune(old)).isEmpty();
        assertThat(registry().prunePlan(ProcessPruneRequest.all())).containsExactly("p");
        assertThat(registry().get("p")).isPresent();
        assertThat(registry().prune(ProcessPruneRequest.all())).containsExactly("p");
        assertThat(registry().get("p")).isEmpty();
        assertThatThrownBy(() -> registry().eventsAfter("p", 0, 1))
                .isInstanceOf(ProcessException.Unknown.class)
                .hasMessageContaining("pruned at");
    }

    @Test
    default void whatRunsIsLeasedHasAWakeToDeliverOrAHandleIsLeftAlone() {
        for (String id : List.of("running", "leased", "waking", "granted")) {
            registry().register(registration(id));
        }
        registry().append("waking", said("hi").withWakeTarget(OWNER));
        registry().grant(OWNER, "granted", HandleDescriptor.NONE);
        for (String id : List.of("leased", "waking", "granted")) {
            registry().complete(id, success(1));
        }
        registry().claim("leased", "ann", LeaseContract.LONG);
        assertThat(registry().prunePlan(ProcessPruneRequest.all())).isEmpty();
        assertThat(registry().prune(ProcessPruneRequest.all())).isEmpty();
        ProcessPruneRequest alsoGranted = ProcessPruneRequest.all().withGranted(true);
        assertThat(registry().prunePlan(alsoGranted)).containsExactly("granted");
        assertThat(registry().prune(alsoGranted)).containsExactly("granted");
        assertThat(registry().grants(OWNER, Optional.empty(), 9)).isEmpty();
        assertThat(registry().list(new ProcessQuery(false, Optional.empty(), 9)))
                .hasSize(3);
    }

    @Test
    default void aFilterChoosesByStatusAndInput() {
        registry().register(registration("good"));
        registry().register(registration("bad"));
        registry().complete("good", success(1));
        registry().complete("bad", failure("x"));
        assertThat(registry().prune(ProcessPruneRequest.all().withInputTypes(Set.of("other"))))
                .isEmpty();
        assertThat(registry()
                        .prune(ProcessPruneRequest.all()
                                .withStatuses(Set.of(ProcessStatus.FAILED, ProcessStatus.CANCELLED))
                                .withInputTypes(Set.of("other", ProcessInput.TOOL_CALL))))
                .containsExactly("bad");
        assertThatThrownBy(() -> ProcessPruneRequest.all().withStatuses(Set.of(ProcessStatus.RUNNING)))
                .isInstanceOf(ProcessException.Invalid.class);
    }

    @Test
    default void fencesGoOnRisingAfterAPruneAndANewRegistration() {
        long fence = 0;
        Lease oldest = null;
        for (int life = 0; life < 3; life++) {
            registry().register(registration("p"));
            assertThat(registry().append("p", note(1)).event().sequence()).isEqualTo(2L * life + 1);
            Lease lease = registry().claim("p", "ann", LeaseContract.LONG);
            oldest = oldest == null ? lease : oldest;
            assertThat(lease.fence()).isGreaterThan(fence);
            fence = lease.fence();
            registry().completeWithLease(lease, success(life));
            assertThat(registry().prune(ProcessPruneRequest.all())).containsExactly("p");
        }
        registry().register(registration("p"));
        Lease stale = Objects.requireNonNull(oldest);
        assertThatThrownBy(() -> registry().append(stale, note(1))).isInstanceOf(ProcessException.LeaseLost.class);
    }

    @Test
    default void aNewRegistrationOfAPrunedIdMayBeAnotherOne() {
        registry().register(registration("p"));
        registry().append("p", note(1));
        registry().complete("p", success(1));
        registry().prune(ProcessPruneRequest.all());
        registry().register(registration("p", EventType.plain("other")));
        assertThatThrownBy(() -> registry().append("p", note(1))).isInstanceOf(ProcessException.UndeclaredType.class);
        assertThat(registry()
                        .append("p", EventAppend.of("other", Json.NULL))
                        .event()
                        .sequence())
                .isEqualTo(3);
    }

    @Test
    default void manyAreForgottenInOneCall() {
        IntStream.range(0, 450).forEach(i -> {
            registry().register(registration("p" + i));
            registry().complete("p" + i, success(i));
        });
        List<String> plan = registry().prunePlan(ProcessPruneRequest.all());
        assertThat(plan).hasSize(450).doesNotHaveDuplicates();
        assertThat(registry().prune(ProcessPruneRequest.all())).containsExactlyInAnyOrderElementsOf(plan);
        assertThat(registry().list(new ProcessQuery(false, Optional.empty(), 9)))
                .isEmpty();
    }
}
