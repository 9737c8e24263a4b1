package dev.cloche.sandbox;

import dev.cloche.qemu.QemuProvider;
import dev.cloche.qemu.VmLayout;
import dev.cloche.qemu.VmResources;
import dev.cloche.vm.VmProvider;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/** What the VMs of victims are: in the memory of their process, or real ones, which outlive it. */
enum KillWorld {
    /** They end with their process. */
    MEMORY(Duration.ZERO) {
        @Override
        VmProvider vms(Path stateRoot) {
            return new FiledVms(stateRoot);
        }
    },
    /** They end when their guards or sweeps end them. */
    QEMU(Duration.ofMillis(700)) {
        @Override
        VmProvider vms(Path stateRoot) {
            return new QemuProvider(VmLayout.of(stateRoot), VmResources.find(List.of(share())));
        }
    };

    private final Duration grace;

    KillWorld(Duration grace) {
        this.grace = grace;
    }

    abstract VmProvider vms(Path stateRoot);

    /** Of guards whose owner is dead. */
    Duration grace() {
        return grace;
    }

    /** How sweeps are limited that come when they are called. */
    MaintenanceLimits limits() {
        return MaintenanceLimits.defaults()
                .withLease(Duration.ofSeconds(60))
                .withBudget(Duration.ofSeconds(30))
                .withWindow(Duration.ZERO)
                .withOwnerGrace(grace);
    }

    static Path share() {
        return Path.of(System.getProperty("cloche.share", "dist/share"));
    }
}
