package dev.cloche.springai;

import dev.cloche.base.ClocheException;

/** What an application can do wrong with the sandboxes of conversations. */
public abstract sealed class ConversationException extends ClocheException {
    private ConversationException(String code, String sentence, String remedy) {
        super(code, sentence, remedy, null);
    }

    /** A tool was called without a word on the conversation. Code {@code spring-ai.no-conversation}. */
    public static final class Unknown extends ConversationException {
        Unknown(String key) {
            super(
                    "spring-ai.no-conversation",
                    "The context of the tools does not say which conversation this is.",
                    "Give the request toolContext(Map.of(\"" + key + "\", id)).");
        }
    }

    /** The sandboxes of conversations have been closed. Code {@code spring-ai.closed}. */
    public static final class Closed extends ConversationException {
        Closed() {
            super(
                    "spring-ai.closed",
                    "The sandboxes of conversations have been closed.",
                    "Close them when no conversation goes on.");
        }
    }

    /** A setting is out of range. Code {@code spring-ai.invalid-settings}. */
    public static final class InvalidSettings extends ConversationException {
        InvalidSettings(String sentence, String remedy) {
            super("spring-ai.invalid-settings", sentence, remedy);
        }
    }
}
