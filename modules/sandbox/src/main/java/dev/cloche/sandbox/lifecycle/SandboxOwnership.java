package dev.cloche.sandbox.lifecycle;

import dev.cloche.base.Deadline;
import dev.cloche.base.Uninterrupted;
import dev.cloche.sandbox.CommandOptions;
import dev.cloche.sandbox.MainCommand;
import dev.cloche.sandbox.SandboxRecord;
import dev.cloche.sandbox.StartTimings;
import dev.cloche.sandbox.Termination;
import dev.cloche.sandbox.directory.OwnerLock;
import dev.cloche.sandbox.record.CommandLine;
import dev.cloche.vm.ExecRequest;
import dev.cloche.vm.ExitStatus;
import dev.cloche.vm.GuestException;
import dev.cloche.vm.Vm;
import dev.cloche.vm.VmException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Owns an attached sandbox, as only the process does that started it: watches over it, and ends it. However many want
 * its end, one of them brings it about, and the others wait until it is recorded and nothing of an ephemeral sandbox is
 * left.
 */
public final class SandboxOwnership {
    /** For a guest to write what it holds back to its disk. */
    private static final Duration FLUSH_LIMIT = Duration.ofSeconds(30);

    private final SandboxContext context;
    private final SandboxTerminator terminator;
    private final SandboxStart.Started started;
    private final MainCommand main;
    private final OwnerWatches watches;
    private final Runnable onEnd;
    private final ReentrantLock ending = new ReentrantLock();
    private boolean over;
    private volatile @Nullable Termination own;

    /** @param onEnd told when the sandbox is over */
    SandboxOwnership(
            SandboxContext context,
            SandboxTerminator terminator,
            OwnerSuspension suspension,
            SandboxStart.Started started,
            MainCommand main,
            Runnable onEnd) {
        this.context = context;
        this.terminator = terminator;
        this.started = started;
        this.main = main;
        this.onEnd = onEnd;
        watches = OwnerWatches.start(context, terminator, suspension, started.record());
    }

    /** Returns what the sandbox is for, which one that stays does again when it is started again. */
    public ExecRequest mainRequest(CommandOptions options) {
        MainCommand asked = main.withOptions(options);
        if (!record().ephemeral() && !asked.equals(main)) {
            context.store().changeMain(record().id(), asked);
        }
        return CommandLine.mainRequest(record().image(), asked, started.config());
    }

    /** Returns what holds for every command in it that says nothing else. */
    public CommandOptions defaults() {
        return main.defaults();
    }

    public StartTimings timings() {
        return started.timings();
    }

    /** Returns how this has ended the sandbox. */
    public Optional<Termination> termination() {
        return Optional.ofNullable(own);
    }

    private SandboxRecord record() {
        return started.record();
    }

    private Vm vm() {
        return started.vm();
    }

    /** Records its end as soon as that comes. */
    void watch() {
        Thread.ofVirtual().name("sandbox-" + record().name()).start(() -> {
            try {
                terminator.awaitEnd(record(), vm());
                hasEnded();
            } catch (RuntimeException unrecorded) {
                // The next process that reads the record will see to it.
                System.getLogger(SandboxOwnership.class.getName())
                        .log(
                                System.Logger.Level.DEBUG,
                                "the end of sandbox " + record().name() + " is not recorded",
                                unrecorded);
            }
        });
    }

    /** Takes note that its VM has ended. */
    public void hasEnded() {
        endOnce(this::observeEnd);
    }

    /** Takes note that its main command has ended, and it with that. */
    public void finish(ExitStatus status) {
        endOnce(() -> {
            Termination how = terminator.ofMain(record().id(), status);
            end(how, () -> {
                terminator.record(record().id(), how);
                return true;
            });
        });
        // The process that stopped it may have seen its VM end before any process knew of this.
        context.store().mainEnded(vm().id(), Termination.ofMain(status, false));
    }

    /** Ends it unless it has ended by itself. Of one that is suspended just now, only the VM ends. */
    public void close() {
        endOnce(() -> {
            if (vm().state().live()) {
                Termination how = isDeaf() ? Termination.unresponsive() : Termination.closed();
                end(how, () -> terminator.recordUnlessSuspended(record().id(), how));
            } else {
                observeEnd();
            }
        });
    }

    /** Lets it outlive this process. */
    public void detach() {
        endOnce(() -> {
            try {
                terminator.detach(record().id(), vm());
            } catch (VmException.WrongState endedMeanwhile) {
                observeEnd();
                return;
            }
            vm().close();
        });
    }

    /** Says whether its guest has broken the protocol, and is about to be ended for it. */
    private boolean isDeaf() {
        try {
            return vm().guest().awaitLoss(Deadline.after(Duration.ZERO)) instanceof GuestException.ProtocolBroken;
        } catch (VmException.Deadline | VmException.WrongState well) {
            return false;
        }
    }

    /** @param recording false if its run goes on from its memory, with which what this VM has does not matter */
    private void end(Termination how, BooleanSupplier recording) {
        own = how;
        boolean ends = true;
        try {
            ends = recording.getAsBoolean();
        } finally {
            if (ends) {
                keepWhatIsWritten();
            } else {
                own = null;
            }
            vm().close();
        }
    }

    /** Stops the guest, so that what it has not flushed yet is on the disk when the sandbox is started again. */
    private void keepWhatIsWritten() {
        if (record().diskMib().isPresent()
                && !record().ephemeral()
                && vm().state().live()) {
            try {
                vm().stop(Duration.ZERO, Deadline.after(FLUSH_LIMIT));
            } catch (VmException deaf) {
                System.getLogger(SandboxOwnership.class.getName())
                        .log(System.Logger.Level.WARNING, "sandbox " + record().name() + " may have lost writes", deaf);
            }
        }
    }

    private void observeEnd() {
        vm().close();
        terminator.observed(record().id());
    }

    private void endOnce(Runnable end) {
        Uninterrupted.run(() -> {
            ending.lock();
            try {
                if (!over) {
                    over = true;
                    watches.close();
                    try (OwnerLock lock = started.lock()) {
                        end.run();
                        terminator.cleanUnder(lock, record().id());
                    }
                }
            } finally {
                ending.unlock();
                onEnd.run();
            }
        });
    }
}
