package dev.cloche.vm.testing;

import dev.cloche.vm.ExecutionInfo;
import dev.cloche.vm.ExitStatus;
import dev.cloche.vm.GuestFailure;
import dev.cloche.vmm.channel.FrameSink;
import dev.cloche.vmm.protocol.Frame;
import dev.cloche.vmm.protocol.GuestFrames;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicInteger;

/** The executions of an in-memory guest: what runs, and what has ended and is kept. */
final class InMemoryExecutions {
    private static final int SIGTERM = 15;
    private static final int MOST = 1024;
    private static final int MOST_KEPT = 64;

    private final AtomicInteger ids = new AtomicInteger();
    private final ConcurrentSkipListMap<Integer, InMemoryExecution> all = new ConcurrentSkipListMap<>();
    /** Plain ones that have ended while no port was attached, the oldest first. */
    private final ArrayDeque<InMemoryExecution> kept = new ArrayDeque<>();

    /** Those that end with their port, and cannot be attached to again. */
    private final Set<InMemoryExecution> fileOperations = ConcurrentHashMap.newKeySet();

    int nextId() {
        return ids.incrementAndGet();
    }

    boolean full() {
        return all.size() >= MOST;
    }

    void add(InMemoryExecution execution) {
        all.put(execution.id(), execution);
    }

    void addFileOperation(InMemoryExecution operation) {
        fileOperations.add(operation);
        add(operation);
    }

    /** One that can be come back to. */
    Optional<InMemoryExecution> findLasting(int id) {
        return find(id).filter(execution -> !fileOperations.contains(execution));
    }

    Optional<InMemoryExecution> find(int id) {
        return Optional.ofNullable(all.get(id)).filter(execution -> !execution.forgotten());
    }

    boolean hasInit() {
        return all.values().stream().anyMatch(InMemoryExecution::init);
    }

    boolean hasKey(String key) {
        return all.values().stream()
                .filter(execution -> !execution.forgotten())
                .anyMatch(execution -> execution.info().key().equals(Optional.of(key)));
    }

    /** Records that it has ended, and that the attached port knows. */
    void ended(InMemoryExecution execution) {
        if (execution.forgotten()) {
            remove(execution);
        } else if (!execution.acknowledged()) {
            keep(execution).ifPresent(oldest -> {
                oldest.forget();
                all.remove(oldest.id());
            });
        }
    }

    private Optional<InMemoryExecution> keep(InMemoryExecution execution) {
        synchronized (kept) {
            kept.add(execution);
            return kept.size() > MOST_KEPT ? Optional.of(kept.remove()) : Optional.empty();
        }
    }

    void remove(InMemoryExecution execution) {
        synchronized (kept) {
            kept.remove(execution);
        }
        fileOperations.remove(execution);
        all.remove(execution.id());
    }

    Optional<GuestFailure> release(int id) {
        Optional<InMemoryExecution> known = findLasting(id);
        if (known.isEmpty()) {
            return Optional.of(GuestFailure.NO_SUCH_EXECUTION);
        }
        if (!known.get().forget()) {
            return Optional.of(GuestFailure.STILL_RUNNING);
        }
        remove(known.get());
        return Optional.empty();
    }

    /** Detaches the port that read it; a file operation is never attached again. */
    void detach(InMemoryExecution execution, FrameSink port) {
        boolean givenUp = fileOperations.contains(execution) && execution.isReader(port);
        execution.detach(port);
        if (givenUp) {
            execution.signal(SIGTERM);
        }
    }

    void detach(FrameSink port) {
        all.values().forEach(execution -> detach(execution, port));
    }

    /** Of the main one, if it has ended and is known still. */
    Optional<ExitStatus> mainExit() {
        return all.values().stream()
                .filter(execution -> execution.main() && !execution.init())
                .flatMap(execution -> execution.end().stream())
                .findFirst();
    }

    /** Asks all to end. */
    void stop() {
        all.values().forEach(InMemoryExecution::stop);
    }

    void signal(int number) {
        all.values().forEach(execution -> execution.signal(number));
    }

    /** Ends all and forgets them; no port hears of their ends. */
    void endAll() {
        all.values().forEach(execution -> {
            execution.abandon();
            remove(execution);
        });
    }

    long running() {
        return all.values().stream()
                .filter(execution -> execution.info().end().isEmpty())
                .count();
    }

    CompletableFuture<?> settled() {
        return CompletableFuture.allOf(
                all.values().stream().map(InMemoryExecution::settled).toArray(CompletableFuture<?>[]::new));
    }

    /** Returns a LISTING of those above an id, as many as fit. */
    ByteBuffer list(int request, int above) {
        List<ExecutionInfo> page = new ArrayList<>();
        int bytes = Integer.BYTES;
        for (InMemoryExecution execution : all.tailMap(above, false).values()) {
            if (fileOperations.contains(execution)) {
                continue;
            }
            ExecutionInfo info = execution.info();
            bytes += GuestFrames.listed(info).toBytes().length;
            if (bytes > Frame.MAX_PAYLOAD) {
                break;
            }
            page.add(info);
        }
        return GuestFrames.listing(request, page);
    }
}
