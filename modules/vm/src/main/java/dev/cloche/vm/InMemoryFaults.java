package dev.cloche.vm;

import java.util.concurrent.atomic.AtomicInteger;

/** Faults that the next boots of an in-memory provider have. Safe for use from several threads. */
public final class InMemoryFaults {
    private final AtomicInteger hangingBoots = new AtomicInteger();

    /** The next boots, as many, never say hello. */
    public void hangBoots(int count) {
        hangingBoots.set(count);
    }

    boolean nextBootHangs() {
        return hangingBoots.getAndUpdate(left -> Math.max(0, left - 1)) > 0;
    }
}
