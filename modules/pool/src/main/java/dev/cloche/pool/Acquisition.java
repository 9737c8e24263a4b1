package dev.cloche.pool;

import dev.cloche.base.Deadline;
import dev.cloche.pool.core.PoolEntry;
import dev.cloche.pool.core.Waiter;
import dev.cloche.pool.driver.PoolDriver;
import dev.cloche.pool.provision.HandOffProcedure;
import dev.cloche.pool.provision.HandOffProcedure.Adoption;
import dev.cloche.pool.provision.HandOffProcedure.Outcome;
import dev.cloche.vm.Vm;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Holds the place of one acquirer from when it asks to when it takes its VM. What it does not take goes back when this is closed,
 * as good as before. Used by one thread at a time.
 */
public final class Acquisition implements AutoCloseable {
    private final PoolDriver driver;
    private final Waiter waiter;
    private Optional<Adopted> adopted = Optional.empty();
    private boolean over;

    /** @throws PoolException.UnknownKey if nothing is registered for the key */
    Acquisition(PoolDriver driver, StackKey key) {
        this.driver = driver;
        waiter = driver.ask((core, now) -> core.request(key, now));
    }

    private record Adopted(PoolEntry entry, Adoption how) {}

    /** Returns what was asked for. */
    public StackKey key() {
        return waiter.key();
    }

    /** Adopts what is ready. Where nothing is, that is done when it is taken. */
    void adoptReady(Deadline deadline) {
        if (waiter.grant().getNow(null) instanceof Waiter.Grant.Ready ready) {
            PoolEntry entry = ready.entry();
            adopted = Optional.of(new Adopted(entry, driver.worker().procedure().adopt(entry.vm(), deadline)));
        }
    }

    /**
     * Takes the VM, once, as {@link WarmPool#acquire} does.
     *
     * @throws PoolException.Taken if it was taken before, or this is closed
     */
    public WarmVm take(HandOff handOff, Deadline deadline) {
        long begin = System.nanoTime();
        if (over) {
            throw new PoolException.Taken();
        }
        over = true;
        while (true) {
            switch (await(deadline)) {
                case Waiter.Grant.Failed(PoolException why) -> throw why;
                case Waiter.Grant.Ready ready -> {
                    PoolEntry entry = ready.entry();
                    switch (handOver(entry, handOff, deadline)) {
                        case Outcome.Done(Vm vm) -> {
                            return handedOver(ready, vm, begin);
                        }
                        case Outcome.Broken(Eviction cause) ->
                            driver.tell((core, now) -> core.again(waiter, entry, cause, now));
                        case Outcome.Failed failed -> {
                            giveBack(entry, failed);
                            throw failed.thrown();
                        }
                    }
                }
            }
        }
    }

    private Outcome handOver(PoolEntry entry, HandOff handOff, Deadline deadline) {
        HandOffProcedure procedure = driver.worker().procedure();
        Adoption adoption = adopted.map(Adopted::how).orElseGet(() -> procedure.adopt(entry.vm(), deadline));
        // That was of the first entry that it was granted.
        adopted = Optional.empty();
        return procedure.of(adoption, handOff, deadline);
    }

    private Waiter.Grant await(Deadline deadline) {
        try {
            return waiter.grant().get(deadline.remainingNanos(), TimeUnit.NANOSECONDS);
        } catch (TimeoutException e) {
            cancel();
            throw new PoolException.Late(waiter.key());
        } catch (InterruptedException e) {
            cancel();
            Thread.currentThread().interrupt();
            throw new PoolException.Interrupted();
        } catch (ExecutionException e) {
            throw new IllegalStateException("grants do not fail", e);
        }
    }

    private void cancel() {
        driver.tell((core, now) -> core.cancel(waiter, now));
    }

    private void giveBack(PoolEntry entry, Outcome.Failed failed) {
        driver.tell((core, now) -> {
            if (failed.usable()) {
                core.returned(entry, now);
            } else {
                core.lost(entry, Eviction.HAND_OFF, now);
            }
        });
    }

    private WarmVm handedOver(Waiter.Grant.Ready ready, Vm vm, long begin) {
        PoolEntry entry = ready.entry();
        driver.tell((core, now) -> core.handedOver(entry, now));
        Duration took = Duration.ofNanos(System.nanoTime() - begin);
        driver.happened(new PoolEvent.Acquired(entry.key(), vm.id(), ready.kind(), took));
        return new WarmVm(vm, ready.kind(), took);
    }

    /** Gives up the place, and what was adopted for it. Does nothing after {@link #take}, or a second time. */
    @Override
    public void close() {
        if (over) {
            return;
        }
        over = true;
        if (adopted.isEmpty()) {
            cancel();
            return;
        }
        PoolEntry entry = adopted.get().entry();
        switch (adopted.get().how()) {
            case Adoption.Held(Vm vm) -> {
                driver.worker().procedure().letGo(vm);
                cancel();
            }
            case Outcome.Broken(Eviction cause) -> driver.tell((core, now) -> core.lost(entry, cause, now));
            case Outcome.Failed failed -> giveBack(entry, failed);
        }
    }
}
