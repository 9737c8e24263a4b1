package dev.cloche.process;

import java.util.Optional;

/**
 * Where a process comes from.
 *
 * @param ownerScope whose it is
 * @param hostProfileId what kind of host it is for
 * @param causedBy what led to it, opaque to the registry
 */
public record Provenance(SessionScope ownerScope, String hostProfileId, Optional<Json> causedBy) {
    public Provenance {
        Names.require("a host profile id", hostProfileId);
    }
}
