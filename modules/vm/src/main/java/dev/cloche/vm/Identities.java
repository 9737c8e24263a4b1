package dev.cloche.vm;

import java.time.Clock;
import java.util.Optional;
import java.util.function.Supplier;

/** Which identity a guest gets when, so that no clone is given out as the twin of another. Safe for use from several threads. */
final class Identities {
    private final VmId id;
    private final boolean clone;
    private volatile boolean owed;

    private Identities(VmId id, boolean clone) {
        this.id = id;
        this.clone = clone;
    }

    static Identities of(VmSpec spec) {
        return new Identities(spec.id(), spec.snapshot().isPresent());
    }

    /** Of a guest that has its identity already. */
    static Identities known(VmId id) {
        return new Identities(id, false);
    }

    /** What a start without a given identity sends: a clone needs one. */
    Optional<Supplier<GuestIdentity>> ofStart() {
        return clone ? Optional.of(this::fresh) : Optional.empty();
    }

    /** The same for a resume. */
    Optional<Supplier<GuestIdentity>> ofResume() {
        return owed && clone ? Optional.of(this::fresh) : Optional.empty();
    }

    /** One that the caller gives, made at the moment when the guest can take it. */
    Supplier<GuestIdentity> given(Supplier<GuestIdentity> identity) {
        return () -> {
            GuestIdentity given = identity.get();
            if (clone && given.entropy().isEmpty()) {
                throw new InvalidVmSpecException(
                        "VM " + id + " would share its random numbers with its siblings", "Give it entropy.");
            }
            return given;
        };
    }

    /** It runs without one of its own, up to its next resume. */
    void owed() {
        owed = true;
    }

    void paid() {
        owed = false;
    }

    private GuestIdentity fresh() {
        return GuestIdentity.fresh(id.value(), Clock.systemUTC());
    }
}
