package dev.cloche.process;

import dev.cloche.process.testing.InMemoryProcessStore;

class InMemoryWorkerTest extends WorkerContract {
    private final ProcessRegistry registry = ProcessRegistry.over(new InMemoryProcessStore());

    @Override
    protected ProcessRegistry registry() {
        return registry;
    }
}
