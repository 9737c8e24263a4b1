package dev.cloche.tools;

import dev.cloche.base.ClocheException;

/** What an application can do wrong with tools. What goes wrong in a sandbox is told to the model instead. */
public abstract sealed class ToolException extends ClocheException {
    private ToolException(String code, String sentence, String remedy) {
        super(code, sentence, remedy, null);
    }

    /** A setting is out of range. Code {@code tools.invalid-settings}. */
    public static final class InvalidSettings extends ToolException {
        InvalidSettings(String sentence, String remedy) {
            super("tools.invalid-settings", sentence, remedy);
        }
    }
}
