package dev.cloche.process;

import dev.cloche.process.value.NameRules;

/**
 * Says what a process works on: a tag and the payload that belongs to it. The set of tags is open; workers claim by tag.
 *
 * @param type for example {@link #SANDBOX_EXEC}
 * @param payload opaque to the registry
 */
public record ProcessInput(String type, Json payload) {
    public static final String EXTERNAL = "external";
    public static final String TOOL_CALL = "tool_call";
    public static final String SESSION_TURN = "session_turn";
    public static final String SANDBOX_EXEC = "sandbox_exec";

    public ProcessInput {
        NameRules.require("an input type", type);
    }
}
