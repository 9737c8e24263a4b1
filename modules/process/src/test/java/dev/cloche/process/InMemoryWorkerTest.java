package dev.cloche.process;

class InMemoryWorkerTest extends WorkerContract {
    private final ProcessRegistry registry = ProcessRegistry.over(new InMemoryProcessStore());

    @Override
    protected ProcessRegistry registry() {
        return registry;
    }
}
