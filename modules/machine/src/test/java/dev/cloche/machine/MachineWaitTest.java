package dev.cloche.machine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cloche.base.Deadline;
import dev.cloche.linux.FileSignal;
import dev.cloche.machine.MachineEvent.Kind;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Waits for machines, which are woken. A wakeup that is missing would hang these tests until their limit. */
@Timeout(value = 10, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class MachineWaitTest extends MachinesInMemory {
    @Test
    void aLineInTheLogWakesAndSoDoesOneFromBeforeTheWait() throws Exception {
        make(MachineSettings.DEFAULTS);
        try (FileSignal signal = FileSignal.listen(home.resolve("machines"))) {
            CompletableFuture<Void> told = new CompletableFuture<>();
            Thread waiting = Thread.ofVirtual().start(() -> {
                try {
                    signal.await(Deadline.none());
                    told.complete(null);
                } catch (InterruptedException e) {
                    told.completeExceptionally(e);
                }
            });
            machines.change(
                    WEB, machine -> machine.withResources(machine.resources().withCpus(3)), soon());
            told.join();
            waiting.join();
            signal.wake();
            signal.await(Deadline.none());
        }
    }

    @Test
    void aWaitReturnsWithTheStateThatAnotherCallerBroughtAbout() throws Exception {
        make(MachineSettings.DEFAULTS);
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            for (MachineState state : List.of(MachineState.RUNNING, MachineState.SUSPENDED, MachineState.STOPPED)) {
                Future<CurrentMachine> reached = threads.submit(() -> machines.await(WEB, Set.of(state), soon()));
                switch (state) {
                    case RUNNING -> start().close();
                    case SUSPENDED -> machines.suspend(WEB, soon());
                    default -> machines.stop(WEB, Duration.ofSeconds(1), soon());
                }
                assertThat(reached.get().state()).isEqualTo(state);
            }
        }
    }

    @Test
    void aWaitThatIsOverWithoutItsStateSaysWhy() {
        assertThatThrownBy(() -> machines.await(WEB, Set.of(MachineState.RUNNING), soon()))
                .isInstanceOf(MachineException.NotFound.class);
        make(MachineSettings.DEFAULTS);
        assertThatThrownBy(() -> machines.await(
                        WEB, Set.of(MachineState.RUNNING, MachineState.FAILED), Deadline.after(Duration.ZERO)))
                .isInstanceOf(MachineException.OutOfTime.class)
                .hasMessageStartingWith("Not in time: the machine \"web\" to be failed or running.");
        Thread.currentThread().interrupt();
        assertThatThrownBy(() -> machines.await(WEB, Set.of(MachineState.RUNNING), soon()))
                .isInstanceOf(MachineException.Interrupted.class);
        assertThat(Thread.interrupted()).isTrue();
    }

    @Test
    void whoFollowsIsToldOfWhatIsNewInItsOrder() throws Exception {
        make(MachineSettings.DEFAULTS);
        BlockingQueue<MachineEvent> told = new LinkedBlockingQueue<>();
        Thread following = Thread.ofVirtual().start(() -> {
            try {
                machines.follow(told::add, Deadline.none());
            } catch (MachineException.Interrupted end) {
                // As was to be reached.
            }
        });
        // It may not listen yet: what is told of is changed until it has been.
        int cpus = 2;
        while (told.peek() == null) {
            int next = cpus++ % 60 + 1;
            machines.change(
                    WEB, machine -> machine.withResources(machine.resources().withCpus(next)), soon());
        }
        start().close();
        MachineEvent event = told.take();
        while (event.kind() == Kind.CHANGED) {
            event = told.take();
        }
        assertThat(event.kind()).isEqualTo(Kind.STARTING);
        assertThat(told.take().kind()).isEqualTo(Kind.STARTED);
        following.interrupt();
        following.join();
    }
}
