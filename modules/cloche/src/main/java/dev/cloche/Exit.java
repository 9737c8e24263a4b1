package dev.cloche;

import dev.cloche.vm.ExitStatus;
import java.util.OptionalInt;

/**
 * How a command in a sandbox ended: by itself with an exit code, or killed by a signal.
 *
 * <pre>{@code
 * Exit exit = sandbox.command("sh", "-c", "kill -9 $$").start().await();
 * exit.signal();    // OptionalInt[9]
 * exit.shellCode(); // 137
 * }</pre>
 *
 * @param code the exit code, 0 to 255; empty if a signal killed it
 * @param signal the signal that killed it; empty if it exited
 */
public record Exit(OptionalInt code, OptionalInt signal) {
    /** @throws IllegalArgumentException unless exactly one of the two is there */
    public Exit {
        if (code.isPresent() == signal.isPresent()) {
            throw new IllegalArgumentException("either an exit code or a signal");
        }
    }

    static Exit of(ExitStatus status) {
        return switch (status) {
            case ExitStatus.Exited(int code) -> new Exit(OptionalInt.of(code), OptionalInt.empty());
            case ExitStatus.Signalled(int signal) -> new Exit(OptionalInt.empty(), OptionalInt.of(signal));
        };
    }

    /** The one number that a shell gives for both: the exit code, or 128 + the signal. */
    public int shellCode() {
        return code.orElseGet(() -> 128 + signal.orElseThrow());
    }

    /** Whether the command exited with 0. */
    public boolean success() {
        return code.isPresent() && code.getAsInt() == 0;
    }
}
