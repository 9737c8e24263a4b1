package dev.cloche.vm;

import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Consumer;

/**
 * Says what a VM is made of. Immutable; begin with {@link #of} or {@link #restored} and narrow with the {@code with…}
 * methods.
 *
 * @param memoryMiB guest RAM, 64 to 1,048,576 MiB
 * @param cpus virtual processors, 1 to 64
 * @param attached whether the VM ends when the process that started it does; otherwise it outlives it from the start
 * @param maxDuration hard limit of the VM's life, enforced by its guard; at least one millisecond
 * @param ownerGrace how long an attached VM lives on after its owner is gone, unless another process adopts it; at least one
 *     millisecond
 * @param outputLogBytes how much of what the main execution writes is kept for {@link VmProvider#outputLog}, 256 KiB to 1 GiB;
 *     absent for nothing
 * @param snapshot what the VM is restored from; empty if it boots. Memory, processors and disks are the snapshot's, except that
 *     its writable disk may be a persistent one that is as of the snapshot
 * @param templateMaker whether the VM is there to be snapshot once, which is its end: it is attached, and its memory is a file
 *     that the snapshot's clones will map
 * @param network what network it has; a clone has one if the VM of its snapshot had one
 * @param isolation the least of walls around the program that runs it; empty for what the host's settings say. No part of what a
 *     snapshot has
 * @param throttle what its guest may ask of its writable disk, at first: {@link VmProvider#throttleDisk} changes it. No part of
 *     what a snapshot has
 * @param admission how the host's limits count it, and how long its making waits for room; of this process alone, it is not kept
 */
public record VmSpec(
        VmId id,
        int memoryMiB,
        int cpus,
        RootDisk rootDisk,
        WritableLayer writable,
        boolean attached,
        Optional<Duration> maxDuration,
        Duration ownerGrace,
        OptionalLong outputLogBytes,
        Optional<SnapshotRef> snapshot,
        boolean templateMaker,
        NetworkSpec network,
        Optional<Isolation> isolation,
        WritableLayer.Throttle throttle,
        VmAdmission admission) {
    private static final int MIN_MEMORY_MIB = 64;
    private static final int MAX_MEMORY_MIB = 1 << 20;
    private static final int MAX_CPUS = 64;
    private static final long MIN_LOG = 256 << 10;
    private static final long MAX_LOG = 1 << 30;
    private static final Duration LONGEST = Duration.ofDays(3650);
    private static final Duration USUAL_GRACE = Duration.ofSeconds(10);

    /** @throws VmException.Invalid if a value is outside of its range, or contradicts the snapshot */
    public VmSpec {
        if (memoryMiB < MIN_MEMORY_MIB || memoryMiB > MAX_MEMORY_MIB) {
            throw outside("memory", memoryMiB + " MiB", MIN_MEMORY_MIB + " to " + MAX_MEMORY_MIB + " MiB");
        }
        if (cpus < 1 || cpus > MAX_CPUS) {
            throw outside("processors", String.valueOf(cpus), "1 to " + MAX_CPUS);
        }
        maxDuration.ifPresent(longest -> requireWithin("maximum duration", longest));
        requireWithin("owner's grace", ownerGrace);
        if (outputLogBytes.isPresent()
                && (outputLogBytes.getAsLong() < MIN_LOG || outputLogBytes.getAsLong() > MAX_LOG)) {
            throw outside("output log", outputLogBytes.getAsLong() + " bytes", "256 KiB to 1 GiB");
        }
        snapshot.ifPresent(taken -> {
            same("memory", memoryMiB + " MiB", taken.memoryMiB() + " MiB");
            same("processors", cpus, taken.cpus());
            same("root disk", rootDisk, taken.rootDisk());
            sameKind(writable, taken.writable());
            same("network device", hasNetwork(network), taken.network());
            if (outputLogBytes.isPresent() && !taken.outputLog()) {
                throw new VmException.Invalid(
                        "What a clone of this snapshot writes cannot be logged, because the snapshot lacks the port for it",
                        "Take the snapshot of a VM with an output log.");
            }
        });
        if (templateMaker && writable instanceof WritableLayer.Persistent) {
            throw new VmException.Invalid(
                    "A template's maker cannot have a persistent disk, because it ends and its clones go on",
                    "Give it a disk of its own; persistent disks can be made of its snapshot.");
        }
        if (!throttle.isNone() && writable instanceof WritableLayer.InMemory) {
            throw noDiskToBind();
        }
        if (templateMaker && !attached) {
            throw new VmException.Invalid(
                    "A template's maker cannot be detached", "Leave it attached; it ends when its snapshot is taken.");
        }
    }

    /**
     * Returns an attached VM of 256 MiB and one processor, with its writable layer in memory, without a limit of its life
     * and with 10 seconds of grace.
     */
    public static VmSpec of(VmId id, RootDisk rootDisk) {
        return new VmSpec(
                id,
                256,
                1,
                rootDisk,
                WritableLayer.inMemory(),
                true,
                Optional.empty(),
                USUAL_GRACE,
                OptionalLong.empty(),
                Optional.empty(),
                false,
                NetworkSpec.none(),
                Optional.empty(),
                WritableLayer.Throttle.none(),
                VmAdmission.NONE);
    }

    /** Returns a clone of a snapshot: attached, without a limit of its life and with 10 seconds of grace. */
    public static VmSpec restored(VmId id, SnapshotRef snapshot) {
        return new VmSpec(
                id,
                snapshot.memoryMiB(),
                snapshot.cpus(),
                snapshot.rootDisk(),
                snapshot.writable(),
                true,
                Optional.empty(),
                USUAL_GRACE,
                OptionalLong.empty(),
                Optional.of(snapshot),
                false,
                snapshot.network() ? NetworkSpec.user() : NetworkSpec.none(),
                Optional.empty(),
                WritableLayer.Throttle.none(),
                VmAdmission.NONE);
    }

    private VmSpec with(Consumer<VmSpecDraft> change) {
        VmSpecDraft draft = new VmSpecDraft(this);
        change.accept(draft);
        return draft.spec();
    }

    public VmSpec withMemoryMiB(int value) {
        return with(draft -> draft.memoryMiB = value);
    }

    public VmSpec withCpus(int value) {
        return with(draft -> draft.cpus = value);
    }

    public VmSpec withWritable(WritableLayer value) {
        return with(draft -> draft.writable = value);
    }

    public VmSpec withAttached(boolean value) {
        return with(draft -> draft.attached = value);
    }

    public VmSpec withMaxDuration(Duration value) {
        return with(draft -> draft.maxDuration = Optional.of(value));
    }

    public VmSpec withOutputLogBytes(long value) {
        return with(draft -> draft.outputLogBytes = OptionalLong.of(value));
    }

    /** Returns one that starts behind such walls at least, or not at all. */
    public VmSpec withIsolation(Optional<Isolation> least) {
        return with(draft -> draft.isolation = least);
    }

    /** Returns one whose guest may ask no more of its writable disk. */
    public VmSpec withThrottle(WritableLayer.Throttle value) {
        return with(draft -> draft.throttle = value);
    }

    /** Returns one that the host's limits count so. */
    public VmSpec withAdmission(VmAdmission value) {
        return with(draft -> draft.admission = value);
    }

    public VmSpec withNetwork(NetworkSpec value) {
        return with(draft -> draft.network = value);
    }

    /** Returns the same VM, as the maker of a template. */
    public VmSpec asTemplateMaker() {
        return with(draft -> draft.templateMaker = true);
    }

    /** Returns whether it has the port for its log; a clone has what its snapshot has. */
    public boolean hasLogPort() {
        return snapshot.map(SnapshotRef::outputLog).orElse(outputLogBytes.isPresent());
    }

    public boolean hasNetwork() {
        return hasNetwork(network);
    }

    private static boolean hasNetwork(NetworkSpec network) {
        return network instanceof NetworkSpec.User;
    }

    public static void requireWithin(String what, Duration value) {
        if (value.compareTo(Duration.ofMillis(1)) < 0 || value.compareTo(LONGEST) > 0) {
            throw outside(what, value.toString(), "1 ms to 3650 days");
        }
    }

    private static void same(String what, Object asked, Object taken) {
        if (!asked.equals(taken)) {
            throw new VmException.Invalid(
                    "The VM's " + what + " cannot be " + asked + ", because its snapshot has " + taken,
                    "Leave what the snapshot determines as it is, or take another snapshot.");
        }
    }

    /** A guest that knows a disk needs one, and what is on it decides which (see {@link PersistentDisks}). */
    private static void sameKind(WritableLayer asked, WritableLayer taken) {
        boolean onDisk = !(taken instanceof WritableLayer.InMemory);
        if (!(onDisk && asked instanceof WritableLayer.Persistent)) {
            same("writable layer", asked, taken);
        }
    }

    /** Says that what is written to memory is bounded by nothing. */
    public static VmException.Invalid noDiskToBind() {
        return new VmException.Invalid(
                "A guest that writes to its memory has no disk whose use could be bounded",
                "Give it a disk of its own, or leave the bound out.");
    }

    private static VmException.Invalid outside(String what, String value, String range) {
        return new VmException.Invalid("The VM's " + what + " cannot be " + value, "Choose " + range + ".");
    }
}
