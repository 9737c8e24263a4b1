package dev.cloche.sandbox.lifecycle;

import dev.cloche.base.ClocheException;
import dev.cloche.base.Deadline;
import dev.cloche.linux.FileSignal;
import dev.cloche.linux.LockFile;
import dev.cloche.sandbox.SandboxException;
import dev.cloche.sandbox.SandboxRecord;
import dev.cloche.sandbox.SandboxStatus;
import dev.cloche.sandbox.TerminationReason;
import dev.cloche.sandbox.directory.EndHold;
import dev.cloche.sandbox.directory.EndPlan;
import dev.cloche.sandbox.directory.SandboxDirectory;
import dev.cloche.sandbox.directory.SandboxUse;
import dev.cloche.vm.AttachPoint;
import dev.cloche.vm.ExecutionInfo;
import dev.cloche.vm.GuestExecution;
import dev.cloche.vm.Vm;
import dev.cloche.vm.VmException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.time.Duration;
import java.util.List;

/**
 * Ends a sandbox once the commands in it have finished: first every process of the host refuses to start further ones, then
 * those that have begun are waited for, then the sandbox is stopped. The main command is not waited for; it ends with it.
 */
public final class SandboxDrain {
    private static final Duration CONNECT_LIMIT = Duration.ofSeconds(30);

    private final SandboxContext context;
    private final SandboxTerminator terminator;

    public SandboxDrain(SandboxContext context, SandboxTerminator terminator) {
        this.context = context;
        this.terminator = terminator;
    }

    /**
     * Refuses new commands, waits for those that run, then stops it.
     *
     * @param finish until when commands may go on; it is then stopped all the same
     * @param grace as for a stop
     */
    public void run(SandboxRecord record, Deadline finish, Duration grace) {
        if (record.status().suspends()) {
            terminator.end(record, TerminationReason.DRAIN_REQUESTED, grace, Deadline.none());
        } else if (record.isLive()) {
            try {
                drain(record, finish, grace);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new SandboxException.Interrupted(record.name());
            }
        } else if (record.status() == SandboxStatus.STARTING) {
            throw new SandboxException.Starting(record.name());
        }
    }

    private void drain(SandboxRecord record, Deadline finish, Duration grace) throws InterruptedException {
        SandboxDirectory directory = context.locks().directory(record);
        try (EndHold _ = EndHold.take(directory, EndPlan.drain(finish, grace))) {
            // In this order: should this process die in between, a sandbox that counts as running would refuse every
            // command.
            if (context.store().ask(record.id(), TerminationReason.DRAIN_REQUESTED, SandboxTerminator.ENDABLE)) {
                SandboxUse.refuse(directory);
                if (record.status() == SandboxStatus.PAUSED) {
                    SandboxPause.release(context, record, finish.orAfter(CONNECT_LIMIT));
                }
                await(record, directory, finish);
                stop(record, grace);
            }
        }
    }

    /**
     * Goes on with the end of a sandbox that is draining, and whose process has died or given up.
     *
     * @param plan how far it has come
     */
    public void goOn(SandboxRecord record, EndPlan plan) throws InterruptedException {
        SandboxDirectory directory = context.locks().directory(record);
        try (EndHold _ = EndHold.take(directory)) {
            Deadline finish = plan.finish();
            if (!finish.passed()) {
                SandboxUse.refuse(directory);
                goOnIfHalted(record, finish);
                await(record, directory, finish);
            }
            stop(record, plan.graceLeft(System.nanoTime()));
        }
    }

    /** It may have been paused before. Commands of a guest that cannot go on are waited for until it is stopped. */
    private void goOnIfHalted(SandboxRecord record, Deadline finish) {
        try {
            SandboxPause.release(context, record, finish);
        } catch (VmException.Interrupted closing) {
            throw closing;
        } catch (VmException hindered) {
            System.getLogger(SandboxDrain.class.getName())
                    .log(System.Logger.Level.DEBUG, "the guest of " + record.name() + " may be halted", hindered);
        }
    }

    private void await(SandboxRecord record, SandboxDirectory directory, Deadline finish) throws InterruptedException {
        SandboxUse.awaitUnused(directory, finish).ifPresent(LockFile::close);
        awaitThoseOfTheDead(record, directory, finish);
    }

    private void stop(SandboxRecord record, Duration grace) {
        context.store().byId(record.id()).ifPresent(now -> terminator.end(now, reason(now), grace, Deadline.none()));
    }

    /** Returns the reason to record: the end may have been asked for more urgently meanwhile. */
    private static TerminationReason reason(SandboxRecord record) {
        return CrashDetection.asked(record).orElse(TerminationReason.DRAIN_REQUESTED);
    }

    /** Commands whose starters are gone go on in the guest, and are known only there. */
    private void awaitThoseOfTheDead(SandboxRecord record, SandboxDirectory directory, Deadline finish)
            throws InterruptedException {
        try (FileSignal uses = SandboxUse.watch(directory);
                Vm vm = context.vms().connect(SandboxTerminator.vmOf(record), finish.orAfter(CONNECT_LIMIT))) {
            for (ExecutionInfo execution : known(vm, finish)) {
                if (!execution.main()
                        && execution.key().isEmpty()
                        && execution.end().isEmpty()) {
                    await(vm, execution, finish);
                }
            }
            // Those with a key have a reader that goes on with them, whose output and end would be lost if we read
            // them. The process that records their end has the guest forget them.
            while (known(vm, finish).stream()
                    .anyMatch(execution -> execution.key().isPresent())) {
                if (!uses.await(finish)) {
                    return;
                }
            }
        } catch (VmException | IOException over) {
            // It has ended, its time is over, or it does not answer: in each case it is stopped now.
        }
    }

    private static List<ExecutionInfo> known(Vm vm, Deadline finish) {
        return vm.guest().executions(finish.orAfter(CONNECT_LIMIT));
    }

    private static void await(Vm vm, ExecutionInfo execution, Deadline finish) {
        AttachPoint end =
                new AttachPoint(execution.stdout().to(), execution.stderr().to());
        try (GuestExecution attached = vm.guest().attach(execution.id(), end, finish.orAfter(CONNECT_LIMIT))) {
            // What is not read would hold it up.
            Thread.ofVirtual().start(() -> drop(attached.stdout()));
            Thread.ofVirtual().start(() -> drop(attached.stderr()));
            attached.await(finish);
        }
    }

    private static void drop(InputStream output) {
        try (output) {
            output.transferTo(OutputStream.nullOutputStream());
        } catch (IOException | ClocheException over) {
            // With its command.
        }
    }
}
