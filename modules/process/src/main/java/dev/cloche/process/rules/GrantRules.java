package dev.cloche.process.rules;

import dev.cloche.process.Grant;
import dev.cloche.process.SessionDeletion;
import dev.cloche.process.store.CodePoints;
import dev.cloche.process.store.ProcessHead;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/** Decides about handles: plain functions. */
public final class GrantRules {
    private GrantRules() {}

    /**
     * Returns what is left to do after a session's handles were removed.
     *
     * @param removed its handles, of all its frames
     * @param processes those that the handles were to
     * @param granted ids of those that another session has a handle to
     */
    public static SessionDeletion afterDeletion(
            String session, List<Grant> removed, int wakes, Collection<ProcessHead> processes, Set<String> granted) {
        Set<String> cancel = new TreeSet<>(CodePoints.ORDER);
        Set<String> preserved = new TreeSet<>(CodePoints.ORDER);
        for (ProcessHead process : processes) {
            if (!process.status().terminal()) {
                (granted.contains(process.id()) ? preserved : cancel).add(process.id());
            }
        }
        return new SessionDeletion(session, removed.size(), wakes, List.copyOf(cancel), List.copyOf(preserved));
    }
}
