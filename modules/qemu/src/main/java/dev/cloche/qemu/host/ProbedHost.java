package dev.cloche.qemu.host;

import dev.cloche.qemu.VmLayout;
import dev.cloche.qemu.VmResources;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;

/**
 * Holds what the probe finds of this host, looked at once, or again where it is in doubt: the first caller waits for it, and
 * others with it. Thread-safe.
 */
public final class ProbedHost implements Supplier<HostCapabilities> {
    private final VmLayout layout;
    private final VmResources resources;
    private final ReentrantLock probing = new ReentrantLock();
    private Optional<HostCapabilities> known = Optional.empty();

    public ProbedHost(VmLayout layout, VmResources resources) {
        this.layout = layout;
        this.resources = resources;
    }

    @Override
    public HostCapabilities get() {
        probing.lock();
        try {
            if (known.filter(capabilities -> holds(capabilities)).isEmpty()) {
                HostCapabilities found = new HostProbe(resources, layout).facts();
                if (!found.capabilities().proven()) {
                    System.getLogger(ProbedHost.class.getName())
                            .log(
                                    System.Logger.Level.WARNING,
                                    found.capabilities().acceleratorReason());
                }
                known = Optional.of(found);
            }
            return known.get();
        } finally {
            probing.unlock();
        }
    }

    private static boolean holds(HostCapabilities capabilities) {
        return capabilities.askAgainAt().isEmpty()
                || System.currentTimeMillis() < capabilities.askAgainAt().getAsLong();
    }
}
