package dev.cloche.vmm.channel;

import dev.cloche.base.Deadline;
import dev.cloche.vm.FileInfo;
import dev.cloche.vm.FileWatch;
import dev.cloche.vm.GuestException;
import dev.cloche.vm.VmException;
import dev.cloche.vmm.VmWaits;
import dev.cloche.vmm.protocol.FileRecord;
import dev.cloche.vmm.protocol.GuestPaths;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A watch of a guest's files, as the records of one call, which a thread of its own takes: a read of a stream knows no time after
 * which it is enough. What the caller does not take is not taken from the guest either, beyond a few events.
 */
final class ChannelFileWatch implements FileWatch {
    private static final int AHEAD = 256;

    private final FileCall call;
    private final String path;
    private final CompletableFuture<Boolean> ready = new CompletableFuture<>();
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final Queue<Event> events = new ArrayDeque<>();
    private Optional<VmException> failure = Optional.empty();
    private boolean over;
    private boolean closed;

    private ChannelFileWatch(FileCall call, String path) {
        this.call = call;
        this.path = path;
    }

    /** Returns it once the guest tells all that changes. */
    static FileWatch begin(FileCall call, String path, Deadline deadline) {
        ChannelFileWatch watch = new ChannelFileWatch(call, path);
        Thread.ofVirtual().name("cloche-file-watch").start(watch::take);
        try {
            VmWaits.on(watch.ready, deadline, "the watch of " + path);
            return watch;
        } catch (VmException failed) {
            watch.close();
            throw failed;
        }
    }

    private void take() {
        Optional<VmException> why = Optional.empty();
        try {
            takeAll();
        } catch (VmException e) {
            why = Optional.of(e);
        } catch (InterruptedException e) {
            throw new IllegalStateException("this thread is its own", e);
        } finally {
            end(why);
        }
    }

    private void end(Optional<VmException> why) {
        lock.lock();
        try {
            over = true;
            failure = closed ? Optional.empty() : why;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
        why.ifPresentOrElse(ready::completeExceptionally, () -> ready.complete(true));
        call.close();
    }

    private void takeAll() throws InterruptedException {
        if (!(call.next() instanceof FileRecord.Ready)) {
            throw unexpected();
        }
        ready.complete(true);
        while (true) {
            switch (call.next()) {
                case FileRecord.Event event -> put(new Event.Changed(event.change(), event.name(), file(event)));
                case FileRecord.Overflow _ -> put(new Event.Missed());
                case FileRecord.Done _ -> {
                    call.isDone();
                    return;
                }
                default -> throw unexpected();
            }
        }
    }

    private Optional<FileInfo> file(FileRecord.Event event) {
        if (!event.entryFollows()) {
            return Optional.empty();
        }
        if (call.next() instanceof FileRecord.Entry(var entry) && entry.name().equals(event.name())) {
            return Optional.of(entry.info(GuestPaths.last(event.name().isEmpty() ? path : event.name())));
        }
        throw new GuestException.ProtocolBroken("a change of a file is not followed by what the file is");
    }

    private static GuestException.ProtocolBroken unexpected() {
        return new GuestException.ProtocolBroken("a watch has records that do not belong to it");
    }

    private void put(Event event) throws InterruptedException {
        lock.lock();
        try {
            while (events.size() >= AHEAD && !closed) {
                changed.await();
            }
            if (!closed) {
                events.add(event);
            }
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    @Override
    public Optional<Event> next(Duration longest) {
        Deadline deadline = Deadline.after(longest);
        lock.lock();
        try {
            while (events.isEmpty() && !over && !closed && !deadline.passed()) {
                var _ = changed.awaitNanos(deadline.remainingNanos());
            }
            Optional<Event> next = Optional.ofNullable(events.poll());
            changed.signalAll();
            if (next.isEmpty() && failure.isPresent()) {
                throw failure.get();
            }
            return next;
        } catch (InterruptedException e) {
            throw VmWaits.interrupted("the next change of " + path);
        } finally {
            lock.unlock();
        }
    }

    @Override
    public boolean ended() {
        lock.lock();
        try {
            return closed || (over && events.isEmpty() && failure.isEmpty());
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void close() {
        lock.lock();
        try {
            closed = true;
            events.clear();
            failure = Optional.empty();
            changed.signalAll();
        } finally {
            lock.unlock();
        }
        call.close();
    }
}
