package dev.cloche.base;

import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The root of every error that Cloche reports. Each room has one family below it.
 *
 * <p>Three parts, for three readers: {@link #code()} is stable and meant for programs; {@link #sentence()} says what
 * happened; {@link #remedy()} says what to do next, in the words of the library, where {@code cloche} is a {@code
 * dev.cloche.Cloche} that is open. {@link #getMessage()} has the sentence and the remedy, as most users see nothing but a
 * stack trace. Nothing secret stands in any of them.
 */
public abstract class ClocheException extends RuntimeException {
    private static final Pattern SENTENCE_END = Pattern.compile("[.!?…][\"')]?\\s*$");

    private final String code;
    private final String sentence;
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
        this.sentence = sentence;
        this.remedy = remedy;
    }

    /** Returns the stable name of this kind of error, for example {@code image.not-found}. */
    public final String code() {
        return code;
    }

    /** Returns the sentence and, where something can be done, the remedy after it. */
    @Override
    public final String getMessage() {
        if (remedy.isEmpty()) {
            return sentence;
        }
        return ended(sentence) + " " + remedy;
    }

    /** Returns a sentence with a full stop, unless it ends with a mark of its own. */
    public static String ended(String sentence) {
        return SENTENCE_END.matcher(sentence).find() ? sentence : sentence + ".";
    }

    /** Returns what happened, without the remedy; for texts that continue with what they know themselves. */
    public final String sentence() {
        return sentence;
    }

    /**
     * Returns what happened, of any exception: the sentence of one of ours, another's message, or its class where it has
     * none.
     */
    public static String sentenceOf(Throwable thrown) {
        if (thrown instanceof ClocheException known) {
            return known.sentence();
        }
        String message = thrown.getMessage();
        return message == null || message.isBlank() ? thrown.getClass().getName() : message;
    }

    /** Returns what to do next, one sentence; empty where nothing can be done. */
    public final String remedy() {
        return remedy;
    }
}
