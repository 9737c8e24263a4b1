package dev.cloche.interpreter.driver;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.cloche.base.Deadline;
import dev.cloche.interpreter.CellListener;
import dev.cloche.interpreter.CellOutcome;
import dev.cloche.interpreter.CellResult;
import dev.cloche.interpreter.InterpreterException;
import dev.cloche.vm.DialRequest;
import dev.cloche.vm.Guest;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * Runs cells in a new VM of a pool, in the driver that its template has, so that the first one of its sandbox finds translated
 * what an emulated processor runs then, and touched what memory it needs. Nothing stays of them: the driver gets no owner.
 *
 * @param socket what the driver listens on
 */
public record DriverExercise(String socket) implements Consumer<Guest> {
    /** As many as are worth it: after one, three and six the first cell of a sandbox took 133, 95 and 91 ms. */
    private static final int CELLS = 3;
    /** Its caller has a shorter one. */
    private static final Duration LIMIT = Duration.ofMinutes(2);

    private static final byte[] CELL = "1".getBytes(UTF_8);

    /** @throws IllegalStateException if the driver does not run them */
    @Override
    public void accept(Guest guest) {
        for (int cell = 0; cell < CELLS; cell++) {
            try (Connection context = DriverProcess.begun(
                    guest.dial(DialRequest.path(socket), Deadline.after(LIMIT)),
                    lost -> new InterpreterException.ContextEnded("The guest has ended.", lost))) {
                CellResult result = new CellRun(context, Optional.of(LIMIT), CellListener.NONE).run(CELL);
                if (result.outcome() != CellOutcome.COMPLETED) {
                    throw new IllegalStateException("a cell of the interpreter ended as " + result.outcome());
                }
            }
        }
    }
}
