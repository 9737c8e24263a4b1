package dev.cloche.vmm;

import dev.cloche.vm.Vm;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** The handles that a provider gave out and that are still open. Safe for use from several threads. */
public final class OpenVms {
    private final Set<Vm> open = ConcurrentHashMap.newKeySet();

    /** Begins without any. */
    public OpenVms() {}

    public Vm add(Vm vm) {
        open.add(vm);
        return vm;
    }

    public void remove(Vm vm) {
        open.remove(vm);
    }

    /** Closes all of them, goes on after a failure, and throws the first with the others suppressed. */
    public void closeAll() {
        Optional<RuntimeException> first = Optional.empty();
        for (Vm vm : open) {
            try {
                vm.close();
            } catch (RuntimeException e) {
                first.ifPresent(earlier -> earlier.addSuppressed(e));
                first = first.or(() -> Optional.of(e));
            }
        }
        first.ifPresent(failure -> {
            throw failure;
        });
    }
}
