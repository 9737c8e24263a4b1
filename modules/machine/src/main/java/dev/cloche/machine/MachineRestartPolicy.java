package dev.cloche.machine;

import dev.cloche.base.EnumNames;
import dev.cloche.base.Printable;
import java.util.Optional;

/** Says what recovery does with a machine whose VM has ended without a request to Cloche. */
public enum MachineRestartPolicy {
    /** It is settled as stopped. */
    NO,
    /** It is started again if it crashed or its host did, not if its guest powered off. */
    ON_FAILURE,
    /** It is started again, also after its guest powered off. */
    ALWAYS;

    /** Returns the word in the file: {@code no}, {@code on-failure} or {@code always}. */
    public String word() {
        return EnumNames.of(this);
    }

    /**
     * Returns the policy of a word.
     *
     * @throws MachineException.Invalid if there is none
     */
    public static MachineRestartPolicy parse(String word) {
        return of(word).orElseThrow(() -> new MachineException.Invalid(
                "\"" + Printable.brief(word) + "\" is no restart policy.", "Use no, on-failure or always."));
    }

    public static Optional<MachineRestartPolicy> of(String word) {
        for (MachineRestartPolicy policy : values()) {
            if (policy.word().equals(word)) {
                return Optional.of(policy);
            }
        }
        return Optional.empty();
    }

    /**
     * Returns whether a machine is to be started again.
     *
     * @param failed whether it crashed, its host did, or the reason is unknown; otherwise its guest powered off
     */
    public boolean restarts(boolean failed) {
        return this == ALWAYS || (this == ON_FAILURE && failed);
    }
}
