package dev.cloche.vm.testing;

import dev.cloche.vm.SnapshotException;
import dev.cloche.vm.SnapshotName;
import dev.cloche.vm.VmException;
import dev.cloche.vm.VmSpec;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

/** Faults of the guests of an in-memory provider. Safe for use from several threads. */
public final class InMemoryFaults {
    private final AtomicInteger hangingBoots = new AtomicInteger();
    private final AtomicInteger failingSnapshots = new AtomicInteger();
    private final AtomicInteger failingRestores = new AtomicInteger();
    private final AtomicInteger unheardQuiesces = new AtomicInteger();
    private final AtomicInteger failingCreations = new AtomicInteger();
    private final AtomicInteger failingDestroys = new AtomicInteger();
    private final AtomicInteger failingIdentities = new AtomicInteger();
    private final AtomicBoolean goodbyesLost = new AtomicBoolean();
    private final AtomicBoolean full = new AtomicBoolean();
    private final AtomicBoolean lowDisk = new AtomicBoolean();
    private final AtomicReference<String> shortage = new AtomicReference<>("");
    private final AtomicInteger stubborn = new AtomicInteger();
    private final Map<Step, Runnable> before = new ConcurrentHashMap<>();

    /** Begins without faults. */
    public InMemoryFaults() {}

    /** Says what a VM of this provider goes through. */
    public enum Step {
        CREATE,
        /** A boot, or a restore. */
        START,
        RESUME,
        DESTROY,
        /** A look at the entries of pools. */
        POOLED,
        COUNT_STATE_DISK
    }

    /**
     * Lets each step of this kind begin with this from now on, in its caller's thread: what waits makes the step slow or hang,
     * and what is thrown, an error included, is its failure.
     */
    public void before(Step step, Runnable what) {
        before.put(step, what);
    }

    /** Undoes {@link #before}. */
    public void atOnce(Step step) {
        before.remove(step);
    }

    void begin(Step step) {
        Runnable what = before.get(step);
        if (what != null) {
            what.run();
        }
    }

    /** Hangs the next boots, as many: they never say hello. */
    public void hangBoots(int count) {
        hangingBoots.set(count);
    }

    /** Loses the last words of guests that shut down from now on. */
    public void loseGoodbyes() {
        goodbyesLost.set(true);
    }

    /** Lets guests that shut down from now on say that so many processes had to be killed. */
    public void killAtShutdown(int count) {
        stubborn.set(count);
    }

    int killedAtShutdown() {
        return stubborn.get();
    }

    /** Fails the next snapshots, as many, as on a full disk. */
    public void failSnapshots(int count) {
        failingSnapshots.set(count);
    }

    /** Fails the next restores, as many, which find that the host is another one. */
    public void failRestores(int count) {
        failingRestores.set(count);
    }

    /** Loses the answers of the next guests that are readied for a snapshot, as many; they are ready. */
    public void loseQuiesces(int count) {
        unheardQuiesces.set(count);
    }

    boolean nextQuiesceIsUnheard() {
        return next(unheardQuiesces);
    }

    /** Fails the next creations, as many, which find the disk full. */
    public void failCreations(int count) {
        failingCreations.set(count);
    }

    /** Leaves no room on the host for VMs that do not wait for it, or does again; those that wait find some. */
    public void full(boolean value) {
        full.set(value);
    }

    /** Leaves less on the host's disk than is to be left, or does again. */
    public void lowDisk(boolean value) {
        lowDisk.set(value);
    }

    void requireDiskRoom() {
        if (lowDisk.get()) {
            throw new VmException.NoRoom("There is too little space", "Make space.", "disk-floor", 1, 0, List.of());
        }
    }

    /** Has the host be short of memory, for which these are the words; with an empty text it has enough again. */
    public void shortOfMemory(String why) {
        shortage.set(why);
    }

    Optional<String> memoryShortage() {
        return Optional.of(shortage.get()).filter(why -> !why.isEmpty());
    }

    /** Fails the next attempts to destroy a VM, as many, as on a disk that fails. */
    public void failDestroys(int count) {
        failingDestroys.set(count);
    }

    /** Refuses the next identities, as many, as guests do. */
    public void refuseIdentities(int count) {
        failingIdentities.set(count);
    }

    void creating(VmSpec spec) {
        begin(Step.CREATE);
        if (full.get() && spec.admission().patience().isZero()) {
            throw new VmException.NoRoom("There is no room for this VM", "End another one.", "memory", 1, 0, List.of());
        }
        if (next(failingCreations)) {
            throw new VmException.Storage("A VM cannot be made: No space left on device", "Make space.", null);
        }
    }

    void destroying() {
        begin(Step.DESTROY);
        if (next(failingDestroys)) {
            throw new VmException.Storage("A VM cannot be removed: Input/output error", "Check the disk.", null);
        }
    }

    boolean nextIdentityIsRefused() {
        return next(failingIdentities);
    }

    void publishing(SnapshotName name) {
        if (next(failingSnapshots)) {
            throw new VmException.Storage(
                    "Snapshot " + name + " could not be taken: No space left on device", "Make space.", null);
        }
    }

    void restoring(SnapshotName name) {
        if (next(failingRestores)) {
            throw new SnapshotException.Mismatch(
                    name, List.of(new SnapshotException.Mismatch.Difference("hostCpu", "one", "another")));
        }
    }

    boolean goodbyesLost() {
        return goodbyesLost.get();
    }

    boolean nextBootHangs() {
        return next(hangingBoots);
    }

    private static boolean next(AtomicInteger left) {
        return left.getAndUpdate(count -> Math.max(0, count - 1)) > 0;
    }
}
