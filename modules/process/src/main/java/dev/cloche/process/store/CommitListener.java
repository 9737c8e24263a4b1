package dev.cloche.process.store;

import dev.cloche.process.Change;
import java.util.Collection;

/** Is told by a store what was committed, after every reader can see it. Calls are short and may come from any thread. */
public interface CommitListener {
    /** Hears that this was committed, here or by another program. To be told twice does no harm. */
    void committed(Collection<Change> changes);

    /** Hears that anything may have been committed. */
    void unknownCommitted();
}
