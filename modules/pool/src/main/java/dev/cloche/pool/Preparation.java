package dev.cloche.pool;

import dev.cloche.vm.Guest;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * Says what is done in a new VM of a pool while its guest runs, before it is halted and shelved. What either throws
 * rejects the VM. Both are called from several threads at once, each call with the guest of another VM; a call that
 * takes too long is interrupted, and its VM rejected.
 *
 * @param warmUp brings the guest into the state in which it is to wait: starts a service, loads a program
 * @param healthCheck then looks whether the guest is good. Once suffices: a halted guest is later as it was then
 */
public record Preparation(Optional<Consumer<Guest>> warmUp, Optional<Consumer<Guest>> healthCheck) {
    public static final Preparation NONE = new Preparation(Optional.empty(), Optional.empty());

    public Preparation withWarmUp(Consumer<Guest> value) {
        return new Preparation(Optional.of(value), healthCheck);
    }

    public Preparation withHealthCheck(Consumer<Guest> value) {
        return new Preparation(warmUp, Optional.of(value));
    }
}
