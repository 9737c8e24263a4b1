package dev.cloche.interpreter.driver;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.cloche.interpreter.CellError;
import dev.cloche.vm.Output;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Keeps what is known of a cell while a shell runs it. Not safe for use from several threads. */
final class ShellCell {
    /** What a shell makes of SIGINT. */
    private static final int INTERRUPTED = 130;

    private static final int MOST_STATUS = 255;
    private static final String SYNTAX = "syn";
    private static final int SYNTAX_STATUS = 2;
    private static final int LONGEST_COMPLAINT = 4 << 10;
    private static final int MARK_BYTES = 16;
    private static final SecureRandom MARKS = new SecureRandom();

    private final String beginning = mark();
    private final String end = mark();
    private final Set<Output> ended = EnumSet.noneOf(Output.class);
    private boolean begun;
    private boolean interrupted;
    private String word = "";
    private byte[] complaint = new byte[0];

    private static String mark() {
        byte[] random = new byte[MARK_BYTES];
        MARKS.nextBytes(random);
        return HexFormat.of().formatHex(random);
    }

    /** Returns the name of the mark before it. */
    String beginning() {
        return beginning;
    }

    /** Returns the name of the mark behind it, in both outputs. */
    String end() {
        return end;
    }

    /** Returns whether the shell is to be interrupted now: not before it expects that. */
    boolean interrupt() {
        interrupted = true;
        return begun;
    }

    /** Returns whether the shell is to be interrupted now. */
    boolean begin() {
        begun = true;
        return interrupted;
    }

    /** Notes its end in an output, with what the mark says. */
    void end(Output output, String said) {
        if (ended.add(output) && output == Output.STDOUT) {
            word = said;
        }
    }

    /** Returns whether both outputs are whole. */
    boolean isOver() {
        return ended.size() == Output.values().length;
    }

    /** Notes what it wrote to its standard error, of which the last is kept. */
    void complain(byte[] text) {
        byte[] all = Arrays.copyOf(complaint, complaint.length + text.length);
        System.arraycopy(text, 0, all, complaint.length, text.length);
        complaint = Arrays.copyOfRange(all, Math.max(0, all.length - LONGEST_COMPLAINT), all.length);
    }

    /** Returns its exit status; empty if it has none that a shell can have. */
    Optional<Integer> status() {
        if (word.equals(SYNTAX)) {
            return Optional.of(SYNTAX_STATUS);
        }
        try {
            int status = Integer.parseInt(word);
            return status >= 0 && status <= MOST_STATUS ? Optional.of(status) : Optional.empty();
        } catch (NumberFormatException forged) {
            return Optional.empty();
        }
    }

    /** Returns whether an interrupt has ended it. */
    boolean wasInterrupted() {
        return interrupted && status().filter(status -> status == INTERRUPTED).isPresent();
    }

    /** Returns what went wrong in it. */
    Optional<CellError> error() {
        if (word.equals(SYNTAX)) {
            return Optional.of(new CellError("SyntaxError", complaint(), List.of()));
        }
        return status().filter(status -> status != 0 && !wasInterrupted())
                .map(status -> new CellError("ExitStatus", status.toString(), List.of()));
    }

    /** Returns the line in which a shell names the mistake: bash shows the line of the code after it. */
    private String complaint() {
        List<String> lines = new String(complaint, UTF_8)
                .lines()
                .map(String::strip)
                .filter(line -> !line.isEmpty())
                .toList();
        return lines.reversed().stream()
                .filter(line -> line.contains("yntax error"))
                .findFirst()
                .orElse(lines.isEmpty() ? "" : lines.getLast());
    }
}
