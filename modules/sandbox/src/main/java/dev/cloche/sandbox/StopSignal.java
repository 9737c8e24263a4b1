package dev.cloche.sandbox;

import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * Describes the signal by which a main command is asked to end.
 *
 * @param number 1 to 64, as on x86-64
 */
public record StopSignal(int number) {
    /** What a command is asked by that says nothing of its own. */
    public static final StopSignal TERM = new StopSignal(15);

    private static final int LAST = 64;
    private static final int FIRST_REAL_TIME = 34;
    private static final Map<String, Integer> NUMBERS = numbers();

    public StopSignal {
        if (number < 1 || number > LAST) {
            throw new IllegalArgumentException("there is no signal " + number);
        }
    }

    /**
     * Reads a number, or a name with or without {@code SIG}, in upper or lower case: {@code 3}, {@code SIGQUIT}, {@code
     * quit} or {@code SIGRTMIN+3}.
     *
     * @throws SandboxException.InvalidSpecification if it is none of these
     */
    public static StopSignal parse(String text) {
        return find(text)
                .orElseThrow(() -> new SandboxException.InvalidSpecification(
                        "There is no signal \"" + text + "\".",
                        "Give a name or a number from 1 to 64, such as SIGQUIT, 3 or SIGRTMIN+3."));
    }

    /** Does what {@link #parse} does, for what others wrote. */
    public static Optional<StopSignal> find(String text) {
        String upper = text.strip().toUpperCase(Locale.ROOT);
        String name = upper.startsWith("SIG") ? upper.substring(3) : upper;
        if (upper.matches("[0-9]{1,3}")) {
            return Optional.of(Integer.parseInt(upper))
                    .filter(number -> number >= 1 && number <= LAST)
                    .map(StopSignal::new);
        }
        return Optional.ofNullable(NUMBERS.get(name)).map(StopSignal::new);
    }

    private static Map<String, Integer> numbers() {
        String[] names =
                ("HUP INT QUIT ILL TRAP ABRT BUS FPE KILL USR1 SEGV USR2 PIPE ALRM TERM STKFLT CHLD CONT STOP TSTP"
                                + " TTIN TTOU URG XCPU XFSZ VTALRM PROF WINCH IO PWR SYS")
                        .split(" ", -1);
        Map<String, Integer> numbers = new LinkedHashMap<>();
        for (int i = 0; i < names.length; i++) {
            numbers.put(names[i], i + 1);
        }
        numbers.put("RTMIN", FIRST_REAL_TIME);
        numbers.put("RTMAX", LAST);
        for (int i = 1; i <= LAST - FIRST_REAL_TIME; i++) {
            numbers.put("RTMIN+" + i, FIRST_REAL_TIME + i);
            numbers.put("RTMAX-" + i, LAST - i);
        }
        numbers.put("IOT", numbers.get("ABRT"));
        numbers.put("CLD", numbers.get("CHLD"));
        numbers.put("POLL", numbers.get("IO"));
        return numbers;
    }

    /** Returns its name, or its number if it has none. */
    @Override
    public String toString() {
        return NUMBERS.entrySet().stream()
                .filter(entry -> entry.getValue() == number)
                .map(entry -> "SIG" + entry.getKey())
                .findFirst()
                .orElse(String.valueOf(number));
    }
}
