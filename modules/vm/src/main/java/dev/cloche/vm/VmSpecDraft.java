package dev.cloche.vm;

import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;

/** A {@link VmSpec} that is about to differ from another one. For one thread. */
final class VmSpecDraft {
    private final VmId id;
    private final RootDisk rootDisk;
    private final Optional<SnapshotRef> snapshot;
    int memoryMiB;
    int cpus;
    WritableLayer writable;
    boolean attached;
    Optional<Duration> maxDuration;
    private final Duration ownerGrace;
    OptionalLong outputLogBytes;
    boolean templateMaker;
    NetworkSpec network;
    Optional<Isolation> isolation;
    WritableLayer.Throttle throttle;
    VmAdmission admission;

    VmSpecDraft(VmSpec from) {
        id = from.id();
        memoryMiB = from.memoryMiB();
        cpus = from.cpus();
        rootDisk = from.rootDisk();
        writable = from.writable();
        attached = from.attached();
        maxDuration = from.maxDuration();
        ownerGrace = from.ownerGrace();
        outputLogBytes = from.outputLogBytes();
        snapshot = from.snapshot();
        templateMaker = from.templateMaker();
        network = from.network();
        isolation = from.isolation();
        throttle = from.throttle();
        admission = from.admission();
    }

    VmSpec spec() {
        return new VmSpec(
                id,
                memoryMiB,
                cpus,
                rootDisk,
                writable,
                attached,
                maxDuration,
                ownerGrace,
                outputLogBytes,
                snapshot,
                templateMaker,
                network,
                isolation,
                throttle,
                admission);
    }
}
