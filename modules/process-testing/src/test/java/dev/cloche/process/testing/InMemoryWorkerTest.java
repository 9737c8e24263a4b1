package dev.cloche.process.testing;

import dev.cloche.process.ProcessRegistry;
import dev.cloche.process.WorkerContract;

class InMemoryWorkerTest extends WorkerContract {
    private final ProcessRegistry registry = ProcessRegistry.over(new InMemoryProcessStore());

    @Override
    protected ProcessRegistry registry() {
        return registry;
    }
}
