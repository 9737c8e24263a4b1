package dev.cloche.execution;

import dev.cloche.sandbox.CommandOptions;
import java.util.List;

/**
 * Says what a durable execution runs, and where.
 *
 * @param sandbox its id, which is never given twice
 * @param sandboxName for people; it may have another name by now
 * @param command the program and its arguments
 * @param options without a standard input and a terminal, which no client would serve
 */
public record ExecutionSpec(long sandbox, String sandboxName, List<String> command, CommandOptions options) {
    /** @throws DurableExecutionException.Invalid if it cannot be run without a client that attends to it */
    public ExecutionSpec {
        command = List.copyOf(command);
        if (command.isEmpty() || command.getFirst().isEmpty()) {
            throw new DurableExecutionException.Invalid(
                    "There is no command to execute.", "Name a program after the sandbox.");
        }
        if (options.stdin() || options.terminal().isPresent()) {
            throw new DurableExecutionException.Invalid(
                    "A detached command has neither a standard input nor a terminal.",
                    "Leave them out, or run the command attached.");
        }
    }
}
