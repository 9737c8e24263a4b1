package example;

import java.util.List;
import java.util.stream.IntStream;

/** A student's program, which is to write the greatest of the numbers that it reads. */
record Submission(String student, String program) {
    private static final String GOOD = """
            read greatest
            while read n; do [ "$n" -gt "$greatest" ] && greatest=$n; done
            echo "$greatest"
            """;
    private static final String FORGETS_NEGATIVE_NUMBERS = """
            greatest=0
            while read n; do [ "$n" -gt "$greatest" ] && greatest=$n; done
            echo "$greatest"
            """;
    private static final String LOOPS = "while :; do :; done";
    private static final String FLOODS = "cat /dev/zero";
    private static final String COPIES = """
            for other in /submissions/*/program.sh; do
              [ "$other" = "$0" ] || exec sh "$other"
            done
            echo "I found no other program" >&2
            exit 1
            """;
    private static final String DESTROYS = "rm -rf /bin /etc /usr /submissions; echo 9";

    /** Returns so many submissions, of which some are harmful and each seventh is wrong. */
    static List<Submission> some(int count) {
        return IntStream.rangeClosed(1, count)
                .mapToObj(i -> new Submission("student-%03d".formatted(i), program(i)))
                .toList();
    }

    private static String program(int i) {
        return switch (i) {
            case 2 -> LOOPS;
            case 3 -> FLOODS;
            case 5 -> COPIES;
            case 6 -> DESTROYS;
            default -> i % 7 == 0 ? FORGETS_NEGATIVE_NUMBERS : GOOD;
        };
    }
}
