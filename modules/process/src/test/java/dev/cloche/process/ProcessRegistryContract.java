package dev.cloche.process;

import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.cloche.process.store.ProcessStore;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What every store has to keep to. A store's own test extends this and says how it is opened. */
public abstract class ProcessRegistryContract
        implements RegistrationContract,
                EventContract,
                WakeContract,
                SemanticsContract,
                LeaseContract,
                RecoveryContract,
                GrantContract,
                WaitContract,
                FeedContract,
                PruneContract,
                ReusedIdContract,
                BoundsContract,
                OperatorContract,
                ConcurrencyContract,
                DurabilityContract {
    private final List<ProcessRegistry> opened = new ArrayList<>();
    private @Nullable ProcessRegistry registry;

    /** Opens a store over the data of this test, which is empty at first. Called again: the same data once more. */
    protected abstract ProcessStore openStore();

    /** Whether another program could open the same data. */
    protected abstract boolean isShared();

    @Override
    public ProcessRegistry registry() {
        if (registry == null) {
            registry = opened(ProcessRegistry.over(openStore()));
        }
        return registry;
    }

    @Override
    public ProcessRegistry another() {
        assumeTrue(isShared(), "an in-memory store is of one process alone");
        return opened(ProcessRegistry.over(openStore()));
    }

    @Override
    public ProcessRegistry remembering(int pruned) {
        return opened(ProcessRegistry.over(openStore(), pruned));
    }

    @Override
    public ProcessRegistry failingAtWrite(int nth) {
        return opened(ProcessRegistry.over(new FaultyStore(openStore(), nth)));
    }

    @Test
    void aStoreHasOneRegistry() {
        ProcessStore store = openStore();
        opened(ProcessRegistry.over(store));
        assertThatThrownBy(() -> ProcessRegistry.over(store)).isInstanceOf(ProcessException.StoreInUse.class);
    }

    private ProcessRegistry opened(ProcessRegistry made) {
        opened.add(made);
        return made;
    }

    /** Closes what was opened for the stores, after them. */
    protected void closeBelow() {}

    @AfterEach
    final void closeAll() {
        opened.reversed().forEach(ProcessRegistry::close);
        closeBelow();
    }
}
