package dev.cloche.base;

import org.jspecify.annotations.Nullable;

/**
 * The root of every error that Cloche reports. Each room has one family below it.
 *
 * <p>Three parts, for three readers: {@link #code()} is stable and meant for programs; {@link #getMessage()} is one
 * sentence that says what happened; {@link #remedy()} says what to do next. Nothing secret stands in any of them.
 */
public abstract class ClocheException extends RuntimeException {
    private final String code;
    private final String remedy;

    /**
     * @param code stable name, lower case with dots, for example {@code image.not-found}
     * @param sentence what happened, one sentence
     * @param remedy what the reader can do next, one sentence, or empty where nothing can be done
     * @param cause the error below this one, if any
     */
    protected ClocheException(String code, String sentence, String remedy, @Nullable Throwable cause) {
        super(sentence, cause);
        this.code = code;
        this.remedy = remedy;
    }

    /** Stable name of this kind of error, for example {@code image.not-found}. */
    public final String code() {
        return code;
    }

    /** Returns what to do next, one sentence; empty where nothing can be done. */
    public final String remedy() {
        return remedy;
    }
}
