package dev.cloche.interpreter.driver;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.cloche.base.Deadline;
import dev.cloche.interpreter.CellError;
import dev.cloche.interpreter.CellListener;
import dev.cloche.interpreter.CellOutcome;
import dev.cloche.interpreter.CellResult;
import dev.cloche.interpreter.InterpreterException;
import dev.cloche.interpreter.MimeBundle;
import dev.cloche.interpreter.protocol.Answer;
import dev.cloche.vm.Output;
import java.io.ByteArrayOutputStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Runs one cell in a context, and gathers what comes of it. For one thread. */
public final class CellRun {
    /** From an interrupt to the next step, which is another one. */
    private static final Duration AGAIN = Duration.ofSeconds(1);

    /** From the first interrupt to the end of the context: a guest on a busy host answers late, and variables are worth a wait. */
    private static final Duration UNTIL_KILLED = Duration.ofSeconds(10);

    /** Of all outputs and values that are kept. */
    private static final int MOST_BYTES = 64 << 20;
    /** What each value counts besides its bytes: there may be many that have none. */
    private static final int VALUE_OVERHEAD = 1 << 10;

    /** What is done against a cell that takes too long. */
    private enum Pressure {
        NONE,
        INTERRUPTED,
        INTERRUPTED_AGAIN,
        KILLED
    }

    private final Context context;
    private final Optional<Duration> timeout;
    private final CellListener listener;
    private final Duration untilKilled;
    private final ByteArrayOutputStream stdout = new ByteArrayOutputStream();
    private final ByteArrayOutputStream stderr = new ByteArrayOutputStream();
    private final List<MimeBundle> displays = new ArrayList<>();
    private Optional<MimeBundle> value = Optional.empty();
    private Optional<CellError> error = Optional.empty();
    private Pressure pressure = Pressure.NONE;
    private boolean truncated;
    private long kept;

    public CellRun(Context context, Optional<Duration> timeout, CellListener listener) {
        this(context, timeout, listener, UNTIL_KILLED);
    }

    /** @param untilKilled from the first interrupt to the end of the context, a second at least */
    CellRun(Context context, Optional<Duration> timeout, CellListener listener, Duration untilKilled) {
        this.context = context;
        this.timeout = timeout;
        this.listener = listener;
        this.untilKilled = untilKilled;
    }

    /** Runs it to its end. If that fails, the context is closed, because what goes on in it is not known. */
    public CellResult run(byte[] code) {
        Deadline patience = timeout.map(Deadline::after).orElse(Deadline.none());
        context.run(code);
        boolean told = false;
        try {
            while (true) {
                Optional<Answer> answer = context.take(patience);
                Optional<CellResult> end = answer.isPresent() ? hear(answer.get()) : press();
                if (end.isPresent()) {
                    told = true;
                    return end.get();
                }
                if (answer.isEmpty()) {
                    patience =
                            Deadline.after(pressure == Pressure.INTERRUPTED_AGAIN ? untilKilled.minus(AGAIN) : AGAIN);
                }
            }
        } catch (InterruptedException e) {
            throw Context.interrupted();
        } finally {
            if (!told) {
                context.close();
            }
            context.finish();
        }
    }

    /** Goes a step further against a cell that takes too long; the last one ends the context without an answer. */
    private Optional<CellResult> press() {
        switch (pressure) {
            case NONE -> {
                pressure = Pressure.INTERRUPTED;
                context.interrupt();
            }
            case INTERRUPTED -> {
                pressure = Pressure.INTERRUPTED_AGAIN;
                context.insist();
            }
            case INTERRUPTED_AGAIN -> {
                pressure = Pressure.KILLED;
                context.kill();
            }
            case KILLED -> {
                context.close();
                return Optional.of(lost());
            }
        }
        return Optional.empty();
    }

    private Optional<CellResult> hear(Answer answer) {
        switch (answer) {
            case Answer.Written(Output output, byte[] piece) -> write(output, piece);
            case Answer.Shown shown -> show(shown);
            case Answer.Thrown(CellError thrown, boolean cut) -> {
                error = Optional.of(thrown);
                truncated |= cut;
            }
            case Answer.Done(boolean interrupted) -> {
                return Optional.of(done(interrupted));
            }
            case Answer.Ended end -> {
                return Optional.of(
                        pressure == Pressure.NONE
                                ? result(
                                        CellOutcome.CONTEXT_ENDED,
                                        true,
                                        CellText.ended(end) + " Its variables are lost.")
                                : lost());
            }
            case Answer.Driver _, Answer.Refused _, Answer.Ready _, Answer.Checked _ -> {
                context.close();
                throw new InterpreterException.BrokenAnswer("it answers something else");
            }
        }
        return Optional.empty();
    }

    private void write(Output output, byte[] piece) {
        if (keep(piece.length)) {
            (output == Output.STDOUT ? stdout : stderr).writeBytes(piece);
            listener.output(output, piece);
        }
    }

    private void show(Answer.Shown shown) {
        truncated |= shown.truncated();
        if (!keep(shown.size() + VALUE_OVERHEAD)) {
            return;
        }
        if (shown.isResult()) {
            value = Optional.of(shown.bundle());
        } else {
            displays.add(shown.bundle());
            listener.display(shown.bundle());
        }
    }

    /** Returns whether so much more is kept. The cell goes on where it is not. */
    private boolean keep(long size) {
        boolean fits = kept + size <= MOST_BYTES;
        kept += fits ? size : 0;
        truncated |= !fits;
        return fits;
    }

    private CellResult done(boolean interrupted) {
        if (pressure != Pressure.NONE) {
            return result(CellOutcome.TIMED_OUT, false, CellText.timedOut(timeout.orElseThrow(), false));
        }
        if (interrupted) {
            return result(CellOutcome.INTERRUPTED, false, "The cell was interrupted.");
        }
        return result(error.isPresent() ? CellOutcome.FAILED : CellOutcome.COMPLETED, false, "");
    }

    private CellResult lost() {
        return result(CellOutcome.TIMED_OUT, true, CellText.timedOut(timeout.orElseThrow(), true));
    }

    private CellResult result(CellOutcome outcome, boolean contextLost, String notice) {
        String all = Stream.of(notice, truncated ? CellText.TRUNCATED : "")
                .filter(sentence -> !sentence.isEmpty())
                .collect(Collectors.joining(" "));
        return new CellResult(
                outcome,
                value,
                displays,
                stdout.toString(UTF_8),
                stderr.toString(UTF_8),
                error,
                truncated,
                contextLost,
                all);
    }
}
