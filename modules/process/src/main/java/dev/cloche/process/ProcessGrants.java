package dev.cloche.process;

import java.util.Collection;
import java.util.List;
import java.util.Optional;

/**
 * Grants and revokes the handles of sessions to processes. Part of {@link ProcessRegistry}, where what holds for all calls
 * stands.
 */
public interface ProcessGrants {
    /** Gives a scope a handle to a process, or another descriptor to the one that it has. */
    void grant(SessionScope scope, String id, HandleDescriptor descriptor);

    /** Takes a handle away; nothing happens if there is none. */
    void revoke(SessionScope scope, String id);

    /** Returns whether a scope has a handle. */
    boolean hasGrant(SessionScope scope, String id);

    /**
     * Returns a page of the handles of a scope, in the order of the processes' ids.
     *
     * @param after ids greater than this one
     */
    List<GrantedProcess> grants(SessionScope scope, Optional<String> after, int limit);

    /** Returns what {@link #grants} does, of processes that run. */
    List<GrantedProcess> liveGrants(SessionScope scope, Optional<String> after, int limit);

    /** Returns all handles to a process, in the order of sessions and scopes. */
    List<Grant> grantsOf(String id);

    /**
     * Moves handles with their descriptors from one scope to another, where they replace those of the same processes. All
     * or none.
     *
     * @throws ProcessException.NotGranted if one is missing
     */
    void transfer(SessionScope from, SessionScope to, Collection<String> ids);

    /** Takes away all handles of a session and its frames, and its undelivered wakes. Cancels nothing. */
    SessionDeletion deleteSession(String session);
}
