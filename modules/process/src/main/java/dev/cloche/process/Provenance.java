package dev.cloche.process;

import dev.cloche.process.value.NameRules;
import java.util.Optional;

/**
 * Says where a process comes from.
 *
 * @param ownerScope whose it is
 * @param hostProfileId what kind of host it is for; workers that name the kinds that they are get no other
 *     ({@link ClaimRequest#hostProfiles})
 * @param causedBy what led to it, opaque to the registry
 */
public record Provenance(SessionScope ownerScope, String hostProfileId, Optional<Json> causedBy) {
    /** The kind of host of processes that name none. */
    public static final String ANY_HOST = "any";

    public Provenance {
        NameRules.require("a host profile id", hostProfileId);
    }

    /** Returns that of a session, for {@link #ANY_HOST}, without a cause. */
    public static Provenance of(SessionScope ownerScope) {
        return new Provenance(ownerScope, ANY_HOST, Optional.empty());
    }
}
