package dev.cloche.interpreter;

import dev.cloche.base.ClocheException;
import dev.cloche.base.EnumNames;
import org.jspecify.annotations.Nullable;

/** Says why an interpreter or one of its contexts cannot be used. */
public abstract sealed class InterpreterException extends ClocheException {
    private InterpreterException(String code, String sentence, String remedy, @Nullable Throwable cause) {
        super(code, sentence, remedy, cause);
    }

    /** What is asked for cannot be. Code {@code interpreter.invalid}. */
    public static final class Invalid extends InterpreterException {
        public Invalid(String sentence, String remedy) {
            super("interpreter.invalid", sentence, remedy, null);
        }
    }

    /** The sandbox has not the program of the language. Code {@code interpreter.not-installed}. */
    public static final class NotInstalled extends InterpreterException {
        public NotInstalled(Language language, Throwable cause) {
            super(
                    "interpreter.not-installed",
                    "This sandbox has no program " + language.program() + " to run " + language.title() + ".",
                    "Use an image that has it; nothing is installed.",
                    cause);
        }
    }

    /** No image is named to start a sandbox of. Code {@code interpreter.no-image}. */
    public static final class NoImage extends InterpreterException {
        public NoImage(Language language) {
            super(
                    "interpreter.no-image",
                    "No image is named for " + language.title() + ".",
                    "Name one, or write for example " + EnumNames.of(language)
                            + " = \"IMAGE\" below [interpreter] in config.toml.",
                    null);
        }
    }

    /** The driver did not come up. Code {@code interpreter.not-started}. */
    public static final class NotStarted extends InterpreterException {
        public NotStarted(Language language, String why) {
            this(language, why, null);
        }

        public NotStarted(Language language, String why, @Nullable Throwable cause) {
            super(
                    "interpreter.not-started",
                    "The interpreter of " + language.title() + " did not start: " + why,
                    "Look at the language's program in the sandbox.",
                    cause);
        }
    }

    /** There are as many contexts as there may be. Code {@code interpreter.too-many-contexts}. */
    public static final class TooManyContexts extends InterpreterException {
        public TooManyContexts() {
            super(
                    "interpreter.too-many-contexts",
                    "An interpreter has at most 32 contexts.",
                    "Close one that is not needed any more.",
                    null);
        }
    }

    /** A cell of the context runs. Code {@code interpreter.busy}. */
    public static final class Busy extends InterpreterException {
        public Busy() {
            super(
                    "interpreter.busy",
                    "A cell of this context runs already.",
                    "Wait for its end, interrupt it, or use another context.",
                    null);
        }
    }

    /** The context has ended, and its variables are lost. Code {@code interpreter.context-ended}. */
    public static final class ContextEnded extends InterpreterException {
        public ContextEnded(String why, @Nullable Throwable cause) {
            super("interpreter.context-ended", why, "Begin another context; its variables are lost.", cause);
        }
    }

    /** The guest gave an answer that no driver gives, which ended the context. Code {@code interpreter.broken-answer}. */
    public static final class BrokenAnswer extends InterpreterException {
        public BrokenAnswer(String why) {
            super(
                    "interpreter.broken-answer",
                    "The context was ended, because its answer was none: " + why + ".",
                    "Begin another context; code in the sandbox may have tampered with this one.",
                    null);
        }
    }
}
