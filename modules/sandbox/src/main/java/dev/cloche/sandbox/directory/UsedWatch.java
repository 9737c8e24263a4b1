package dev.cloche.sandbox.directory;

import dev.cloche.vm.FileWatch;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;

/** A watch of files whose sandbox is in use until it is closed. */
public final class UsedWatch implements FileWatch {
    private final FileWatch watch;
    private final SandboxUse use;
    private final AtomicBoolean over = new AtomicBoolean();

    /** @param use that has begun */
    public UsedWatch(FileWatch watch, SandboxUse use) {
        this.watch = watch;
        this.use = use;
    }

    @Override
    public Optional<Event> next(Duration longest) {
        return watch.next(longest);
    }

    @Override
    public boolean ended() {
        return watch.ended();
    }

    @Override
    public void close() {
        try {
            watch.close();
        } finally {
            if (over.compareAndSet(false, true)) {
                use.end();
            }
        }
    }
}
