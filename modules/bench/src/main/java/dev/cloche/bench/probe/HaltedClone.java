package dev.cloche.bench.probe;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Runs the honest alternative to an entry of a pool: a bare clone of the same template that has had an identity, has run a
 * {@code true}, has been told to forget who it is, and is halted. The next one is made as soon as one is used up, so that it
 * lies as long as an entry does.
 */
public final class HaltedClone implements AutoCloseable {
    private final BareMachine machine;
    private final BootedTemplate template;
    private final Path directory;
    private BareClone waiting;

    public HaltedClone(BareMachine machine, BootedTemplate template, Path parent)
            throws IOException, InterruptedException {
        this.machine = machine;
        this.template = template;
        directory = Files.createTempDirectory(parent, "halted");
        waiting = prepared();
    }

    private BareClone prepared() throws IOException, InterruptedException {
        BareClone clone = BareClone.restore(machine, template, directory);
        clone.guest().runTrue();
        clone.guest().quiesce();
        clone.halt();
        return clone;
    }

    /** Continues it, gives it an identity and runs {@code true}: nanoseconds. */
    public long timeHandOver() throws IOException, InterruptedException {
        long begin = System.nanoTime();
        waiting.goOn();
        waiting.guest().configure();
        waiting.guest().runTrue();
        long taken = System.nanoTime() - begin;
        waiting.close();
        waiting = prepared();
        return taken;
    }

    @Override
    public void close() throws IOException {
        waiting.close();
    }
}
