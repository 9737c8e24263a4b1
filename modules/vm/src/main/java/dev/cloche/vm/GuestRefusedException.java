package dev.cloche.vm;

import java.util.Locale;

/** The agent did not do what it was asked to, for a reason other than the program that was to be started. */
public final class GuestRefusedException extends VmException {
    private final GuestFailure failure;

    public GuestRefusedException(GuestFailure failure, String sentence) {
        super(
                "vm.guest." + failure.name().toLowerCase(Locale.ROOT).replace('_', '-'),
                "The guest refused: " + sentence,
                "",
                null);
        this.failure = failure;
    }

    public GuestFailure failure() {
        return failure;
    }
}
