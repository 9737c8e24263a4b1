package dev.cloche.vmm.admission;

import java.util.List;

/** Says what becomes of a claim. */
public sealed interface Decision {
    /** There is room. */
    record Admit() implements Decision {}

    /**
     * There is room once these entries of pools have ended.
     *
     * @param entries the oldest first
     * @param shortage what there is no room for until then
     */
    record Yield(List<Holder> entries, Shortage shortage) implements Decision {
        public Yield {
            entries = List.copyOf(entries);
        }
    }

    /** There is no room at present. */
    record Refuse(Shortage shortage) implements Decision {}

    /** There would be no room on an empty host. */
    record Never(Shortage shortage) implements Decision {}
}
