package dev.cloche.process;

import java.util.Locale;

/** Why a process whose owner was lost is not run again. */
public enum AbandonReason {
    /** Its work lived in the owner ({@link RecoveryPolicy.OwnerBound}). */
    OWNER_LOST,
    /** As many owners as it may have were lost ({@link RecoveryPolicy.Rerunnable}). */
    ATTEMPTS_EXHAUSTED;

    /** Returns it in lower case, as it is stored and printed. */
    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }

    public static AbandonReason ofWord(String word) {
        for (AbandonReason reason : values()) {
            if (reason.word().equals(word)) {
                return reason;
            }
        }
        throw new ProcessException.Invalid("there is no reason \"" + word + "\" to abandon a process");
    }
}
