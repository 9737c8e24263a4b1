package dev.cloche;

import dev.cloche.base.Deadline;
import dev.cloche.execution.ExecutionSpec;
import dev.cloche.execution.Executions;
import dev.cloche.process.ProcessCount;
import dev.cloche.process.ProcessEvent;
import dev.cloche.process.ProcessException;
import dev.cloche.process.ProcessPruneRequest;
import dev.cloche.process.ProcessQuery;
import dev.cloche.process.ProcessRegistry;
import dev.cloche.process.ProcessStatus;
import dev.cloche.process.ProcessView;
import dev.cloche.sandbox.SandboxRecord;
import dev.cloche.sandbox.SandboxStatus;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * The durable records of work on this host, to be looked at and cared for; commands in sandboxes that outlive the
 * program that started them are such work. A program that registers and drives work uses the {@link #registry()}. Safe for use
 * from several threads.
 *
 * <pre>{@code
 * cloche.processes().list(false).forEach(process -> System.out.println(process.id() + " " + process.status()));
 * }</pre>
 */
public final class Processes {
    /** How many events are read at once. */
    private static final int PAGE = 1_000;

    private final Rooms rooms;
    private final ProcessRegistry registry;
    private final ProcessRoom.Drivers drivers;
    private final Executions executions;
    private final dev.cloche.sandbox.SandboxManager sandboxes;

    Processes(Rooms rooms) {
        this.rooms = rooms;
        this.registry = rooms.processes().registry();
        this.drivers = new ProcessRoom.Drivers(registry, rooms.processes().outputs());
        this.executions = rooms.executions();
        this.sandboxes = rooms.sandboxes();
    }

    /** Returns all that can be done with processes. It is closed with the {@link Cloche} that it comes from. */
    public ProcessRegistry registry() {
        return registry;
    }

    /**
     * Returns a command that outlives this process in a sandbox that runs.
     *
     * @param sandbox its name
     * @param words the program and its arguments; no shell reads them
     */
    public DurableCommand command(String sandbox, String... words) {
        List<String> command = List.of(words);
        return new DurableCommand(options -> {
            SandboxRecord record = sandboxes.get(sandbox);
            if (record.status() != SandboxStatus.RUNNING) {
                // Says what it is instead.
                sandboxes.connect(sandbox, Deadline.none()).close();
            }
            String id = executions
                    .start(new ExecutionSpec(record.id(), record.name(), command, options))
                    .id();
            return registry.view(id).orElseThrow();
        });
    }

    /**
     * Returns what a durable command wrote.
     *
     * @throws dev.cloche.base.ClocheException if there is no such process, or it is no command in a sandbox
     */
    public ProcessLog log(String id) {
        return new ProcessLog(executions.log(id), () -> drivers.isRunning(id));
    }

    /**
     * Returns processes in the order of their ids.
     *
     * @param ended whether also those that have ended
     */
    public List<ProcessView> list(boolean ended) {
        ProcessQuery all = ProcessQuery.all();
        return list(ended ? all : all.withStatuses(Set.of(ProcessStatus.RUNNING)));
    }

    /**
     * Returns all the processes that a query selects, in the order of their ids.
     *
     * <pre>{@code
     * cloche.processes().list(ProcessQuery.all().withStatuses(Set.of(FAILED)).withText("make"));
     * }</pre>
     *
     * @param query its limit says how many are read at once
     */
    public List<ProcessView> list(ProcessQuery query) {
        List<ProcessView> all = new ArrayList<>();
        ProcessQuery rest = query;
        while (true) {
            List<ProcessView> page = registry.views(rest);
            all.addAll(page);
            if (page.size() < rest.limit()) {
                return List.copyOf(all);
            }
            rest = rest.after(page.getLast().id());
        }
    }

    /** Returns how many processes of a query there are, by type of input and status. */
    public List<ProcessCount> count(ProcessQuery query) {
        return registry.counts(query);
    }

    /** Returns the process of that id, if there is one. */
    public Optional<ProcessView> find(String id) {
        return registry.view(id);
    }

    /**
     * Returns a page of a process's events, of at most 1,000.
     *
     * @param after the sequence of the last event before it; 0 for the beginning
     * @throws dev.cloche.base.ClocheException if there is no such process
     */
    public List<ProcessEvent> events(String id, long after) {
        return registry.eventsAfter(id, after, PAGE);
    }

    /**
     * Returns what {@link #events} does, waiting for the next event if there is none, as {@link #await} waits for the end.
     *
     * @param longest how long to wait; the page is empty after that
     * @throws ProcessException.Undriven if it has no further event, and is a command that no program drives
     * @throws dev.cloche.base.ClocheException if there is no such process
     */
    public List<ProcessEvent> awaitEvents(String id, long after, Duration longest) {
        Deadline deadline = Deadline.after(longest);
        List<ProcessEvent> found = events(id, after);
        while (found.isEmpty()) {
            found = nextEvents(id, after, deadline);
            if (deadline.passed()) {
                break;
            }
        }
        return found;
    }

    /** One look, which may be shorter than the deadline. */
    private List<ProcessEvent> nextEvents(String id, long after, Deadline deadline) {
        try {
            Deadline look = drivers.isRunning(id) ? deadline.orAfter(ProcessRoom.Drivers.LOOK) : deadline;
            return registry.awaitEventsAfter(id, after, PAGE, look);
        } catch (ProcessException.TimedOut tooLong) {
            return List.of();
        } catch (ProcessException.Undriven undriven) {
            // Its last driver may have written something before it left.
            List<ProcessEvent> last = events(id, after);
            if (last.isEmpty()) {
                throw undriven;
            }
            return last;
        }
    }

    /**
     * Waits for the end of a process. That of a command in a sandbox comes only if a program of this host drives commands:
     * one that has called {@link Cloche#driveCommands()}, or {@code cloche keep}. Where none does, or the last one goes
     * meanwhile, this does not wait any longer.
     *
     * @param longest how long to wait
     * @return the process when it has ended; empty if it has not in that time
     * @throws ProcessException.Undriven if it is a command that no program drives
     * @throws dev.cloche.base.ClocheException if there is no such process
     */
    public Optional<ProcessView> await(String id, Duration longest) {
        Deadline deadline = Deadline.after(longest);
        do {
            boolean runs = drivers.isRunning(id);
            try {
                var _ = registry.awaitProcess(id, runs ? deadline.orAfter(ProcessRoom.Drivers.LOOK) : deadline);
                return find(id);
            } catch (ProcessException.TimedOut tooLong) {
                // For this look at least.
            }
        } while (!deadline.passed());
        return Optional.empty();
    }

    /**
     * Asks the driver of a process to end it. Repeating it does nothing.
     *
     * @throws dev.cloche.base.ClocheException if there is no such process, or it has ended
     */
    public void cancel(String id, String reason) {
        var _ = registry.cancel(id, reason);
    }

    /**
     * Forgets processes that have ended, with their events, and deletes what the commands among them wrote. So it does with
     * what is left of commands that were forgotten before, by a prune that was killed.
     *
     * @param unusedFor only those to which nothing has happened for so long, by a clock that cannot be set unless the host
     *     was started anew since
     * @param granted whether also those that a session still has a handle to
     * @return their ids
     */
    public List<String> prune(Duration unusedFor, boolean granted) {
        List<String> pruned =
                registry.prune(ProcessPruneRequest.unusedFor(unusedFor).withGranted(granted));
        executions.sweep();
        rooms.countStateDisk();
        return pruned;
    }
}
