package dev.cloche.process;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class InMemoryProcessStoreTest extends ProcessRegistryContract {
    private final InMemoryProcessStore store = new InMemoryProcessStore();

    @Override
    protected ProcessStore openStore() {
        return store;
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
