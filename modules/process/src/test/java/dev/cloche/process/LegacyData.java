package dev.cloche.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** What the program of commit 7fc0b1f wrote, on either database, and what has to be so after its migration. */
public final class LegacyData {
    private static final Duration HOUR = Duration.ofHours(1);

    private LegacyData() {}

    public static void check(ProcessRegistry registry) {
        assertThat(registry.list(new ProcessQuery(false, Optional.empty(), 99)))
                .extracting(ProcessRecord::id)
                .containsExactly("bound", "ended", "leased", "outside", "running", "tried");
        ProcessRecord running = registry.get("running").orElseThrow();
        assertThat(running.firstSequence()).isEqualTo(1);
        assertThat(running.events()).isEqualTo(2);
        assertThat(running.registration().provenance().hostProfileId()).isEqualTo("linux \"x\" \\ \u00fc");
        assertThat(registry.pendingWakes("s-2", Optional.empty(), 9)).hasSize(1);
        feed(registry);
        lives(registry);
        claims(registry);
    }

    /** Of what is gone nothing, of what was given back three times one entry. */
    private static void feed(ProcessRegistry registry) {
        List<Change> feed = registry.changes(Optional.empty(), 99).changes();
        assertThat(feed).noneMatch(change -> change.processId().equals("gone"));
        assertThat(feed)
                .filteredOn(change -> change.processId().equals("tried"))
                .containsExactly(Change.of("tried", Change.Kind.REGISTERED), Change.of("tried", Change.Kind.RELEASED));
        assertThat(feed)
                .filteredOn(change -> change.processId().equals("ended"))
                .extracting(Change::kind)
                .containsExactly(Change.Kind.REGISTERED, Change.Kind.EVENT);
    }

    /** Its two lives had three fences, and two events each; how many is not recorded. */
    private static void lives(ProcessRegistry registry) {
        registry.register(ContractFixture.registration("gone"));
        assertThat(registry.claim("gone", "ann", HOUR).fence()).isEqualTo(5);
        assertThat(registry.append("gone", ContractFixture.note(1)).event().sequence())
                .isGreaterThan(2);
        assertThat(registry.get("gone").orElseThrow().events()).isEqualTo(1);
    }

    private static void claims(ProcessRegistry registry) {
        Set<String> all = Set.of("tool_call", "session_turn", "external");
        assertThat(claimed(registry, new ClaimRequest("w", all, Set.of("elsewhere"), 9, HOUR)))
                .isEmpty();
        assertThat(claimed(registry, new ClaimRequest("w", all, Set.of("arm"), 9, HOUR)))
                .containsExactly("bound");
        assertThat(claimed(registry, new ClaimRequest("w", all, Set.of("linux \"x\" \\ \u00fc"), 9, HOUR)))
                .containsExactly("running");
        assertThat(claimed(registry, new ClaimRequest("w", all, 9, HOUR))).contains("tried");
    }

    private static List<String> claimed(ProcessRegistry registry, ClaimRequest request) {
        return registry.claimNext(request).stream()
                .map(claim -> claim.process().id())
                .toList();
    }
}
