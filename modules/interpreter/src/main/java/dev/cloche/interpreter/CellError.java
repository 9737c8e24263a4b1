package dev.cloche.interpreter;

import java.util.List;

/**
 * An error that the code of a cell threw, as the guest tells it.
 *
 * @param name its type, such as {@code ZeroDivisionError}
 * @param value its message, perhaps empty
 * @param frames where it was thrown: the innermost frame is the last
 */
public record CellError(String name, String value, List<Frame> frames) {
    public CellError {
        frames = List.copyOf(frames);
    }

    /**
     * A frame of the stack.
     *
     * @param file of the code; a cell is {@code <cell 1>}, numbered from the beginning of its context
     * @param line from 1; 0 if it is not known
     * @param function the name of what was called; empty if it is not known
     * @param source the line of code; empty if it is not known
     */
    public record Frame(String file, int line, String function, String source) {}

    /** Returns name and value in one line, as a traceback ends. */
    public String summary() {
        return value.isEmpty() ? name : name + ": " + value;
    }

    /** Returns it for people, frame by frame, with the {@link #summary()} as the last line. */
    public String text() {
        StringBuilder text = new StringBuilder();
        for (Frame frame : frames) {
            text.append("  ").append(frame.file()).append(", line ").append(frame.line());
            if (!frame.function().isEmpty()) {
                text.append(", in ").append(frame.function());
            }
            text.append('\n');
            if (!frame.source().isEmpty()) {
                text.append("    ").append(frame.source()).append('\n');
            }
        }
        return text.append(summary()).append('\n').toString();
    }
}
