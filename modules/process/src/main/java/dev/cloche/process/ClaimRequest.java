package dev.cloche.process;

import dev.cloche.process.rules.LeaseRules;
import dev.cloche.process.value.NameRules;
import java.time.Duration;
import java.util.Set;

/**
 * Says what a worker asks for.
 *
 * @param owner who asks, for example a host and the start of its runtime
 * @param inputTypes the tags of inputs that it can drive; at least one
 * @param hostProfiles what kinds of host it is ({@link Provenance#hostProfileId}); empty for any
 * @param limit how many at most, from 1 to {@value #MOST}
 * @param ttl how long each lease is, up to {@link ProcessLeases#LONGEST_LEASE}
 */
public record ClaimRequest(String owner, Set<String> inputTypes, Set<String> hostProfiles, int limit, Duration ttl) {
    public static final int MOST = 1_000;

    public ClaimRequest {
        inputTypes = Set.copyOf(inputTypes);
        hostProfiles = Set.copyOf(hostProfiles);
        NameRules.require("a lease's owner", owner);
        hostProfiles.forEach(profile -> NameRules.require("a host profile id", profile));
        if (inputTypes.isEmpty()) {
            throw new ProcessException.Invalid("a worker names the input types that it can drive");
        }
        if (limit < 1 || limit > MOST) {
            throw new ProcessException.Invalid("a batch of claims has 1 to " + MOST + " processes, not " + limit);
        }
        LeaseRules.requireTtl(ttl);
    }

    /** Asks for any kind of host. */
    public ClaimRequest(String owner, Set<String> inputTypes, int limit, Duration ttl) {
        this(owner, inputTypes, Set.of(), limit, ttl);
    }
}
