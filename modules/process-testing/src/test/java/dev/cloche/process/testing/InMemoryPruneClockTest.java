package dev.cloche.process.testing;

import dev.cloche.process.PruneClockContract;
import dev.cloche.process.store.ProcessStore;
import dev.cloche.process.store.StoreClock;

class InMemoryPruneClockTest extends PruneClockContract {
    @Override
    protected ProcessStore open(StoreClock time) {
        return new InMemoryProcessStore(time);
    }
}
