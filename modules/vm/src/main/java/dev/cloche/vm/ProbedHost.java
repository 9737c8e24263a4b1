package dev.cloche.vm;

import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;

/** What the probe finds of this host, looked at once: whoever asks first waits for it, and others with them. Thread-safe. */
final class ProbedHost implements Supplier<HostFacts> {
    private final VmLayout layout;
    private final VmResources resources;
    private final ReentrantLock probing = new ReentrantLock();
    private Optional<HostFacts> known = Optional.empty();

    ProbedHost(VmLayout layout, VmResources resources) {
        this.layout = layout;
        this.resources = resources;
    }

    @Override
    public HostFacts get() {
        probing.lock();
        try {
            if (known.isEmpty()) {
                known = Optional.of(new HostProbe(resources, layout.stateRoot(), layout.runtimeDirectory()).facts());
            }
            return known.get();
        } finally {
            probing.unlock();
        }
    }
}
