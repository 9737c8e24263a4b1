package dev.cloche.vm;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

/** Faults of the guests of an in-memory provider. Safe for use from several threads. */
public final class InMemoryFaults {
    private final AtomicInteger hangingBoots = new AtomicInteger();
    private final AtomicBoolean goodbyesLost = new AtomicBoolean();

    /** The next boots, as many, never say hello. */
    public void hangBoots(int count) {
        hangingBoots.set(count);
    }

    /** From now on, guests that shut down end without last words. */
    public void loseGoodbyes() {
        goodbyesLost.set(true);
    }

    boolean goodbyesLost() {
        return goodbyesLost.get();
    }

    boolean nextBootHangs() {
        return hangingBoots.getAndUpdate(left -> Math.max(0, left - 1)) > 0;
    }
}
