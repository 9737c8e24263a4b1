package dev.cloche.process;

import java.util.List;

/**
 * Says what the deletion of a session took away, and what is left to do. Both lists are sorted and have each id once; ended
 * processes are in neither. Nothing has been cancelled.
 *
 * @param cancelIds processes that run and that no session has a handle to any more
 * @param preservedIds processes that run and that others have a handle to
 */
public record SessionDeletion(
        String session, int revokedGrants, int deletedWakes, List<String> cancelIds, List<String> preservedIds) {
    public SessionDeletion {
        cancelIds = List.copyOf(cancelIds);
        preservedIds = List.copyOf(preservedIds);
    }
}
