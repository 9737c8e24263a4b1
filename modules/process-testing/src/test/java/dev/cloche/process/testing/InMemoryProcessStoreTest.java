package dev.cloche.process.testing;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cloche.process.Durability;
import dev.cloche.process.ForwardingStore;
import dev.cloche.process.ProcessRegistryContract;
import dev.cloche.process.store.CommitListener;
import dev.cloche.process.store.ProcessStore;
import org.junit.jupiter.api.Test;

class InMemoryProcessStoreTest extends ProcessRegistryContract {
    private final InMemoryProcessStore store = new InMemoryProcessStore();
    private boolean opened;

    /** Nothing opens it twice; what the contract does with another registry over its rows needs to hear of no commits. */
    @Override
    protected ProcessStore openStore() {
        ProcessStore next = opened ? new Deaf(store) : store;
        opened = true;
        return next;
    }

    private static final class Deaf extends ForwardingStore {
        Deaf(ProcessStore store) {
            super(store);
        }

        @Override
        public void listen(CommitListener listener) {}
    }

    @Override
    protected boolean isShared() {
        return false;
    }

    @Test
    void itDoesNotClaimToBeDurable() {
        assertThat(registry().durability()).isEqualTo(Durability.VOLATILE);
    }
}
