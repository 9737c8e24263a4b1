package example;

import dev.cloche.Cloche;
import dev.cloche.Fork;
import dev.cloche.Sandbox;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Gatherers;
import java.util.stream.IntStream;

/** Tries four ways to mend a program, side by side from one state, and goes on with the one that wins. */
public final class Forks {
    /** Stands for a state that took long to reach: here a program, and its tests. */
    private static final String STATE = """
            mkdir /work && cd /work
            echo 'head -n 1' >median.sh
            cat >tests.sh <<'END'
            passed=0
            check() { # MEDIAN NUMBER...
              expected=$1
              shift
              [ "$(printf '%s\\n' "$@" | sh median.sh)" = "$expected" ] && passed=$((passed + 1))
            }
            check 7  7
            check 2  3 1 2
            check 9  10 8 9
            check 4  6 2 9 1
            echo $passed
            END
            """;

    private record Way(String name, String program) {}

    private record Result(Way way, int passed) {}

    private static final List<Way> WAYS = List.of(
            new Way("the middle, as texts", "sort | awk '{ n[NR] = $1 } END { print n[int((NR + 1) / 2)] }'"),
            new Way("the middle, as numbers", "sort -n | awk '{ n[NR] = $1 } END { print n[int((NR + 1) / 2)] }'"),
            new Way("the mean of the two in the middle", """
                    sort -n | awk '
                        { n[NR] = $1 }
                        END { print (n[int((NR + 1) / 2)] + n[int((NR + 2) / 2)]) / 2 }'"""),
            new Way("away with it all", "rm -rf /work"));

    private Forks() {}

    public static void main(String[] arguments) {
        try (Cloche cloche = Cloche.open();
                Sandbox parent = cloche.sandbox("base").memoryMib(128).start()) {
            parent.exec("sh", "-c", STATE).orThrow();
            print("before", passed(parent));
            Way best = best(parent);
            // Each way had a VM of its own, so also the one that removes everything has harmed only itself.
            print("the parent since then", passed(parent));
            parent.files().writeString("/work/median.sh", best.program());
            print("the parent with " + best.name(), passed(parent));
        }
    }

    private static Way best(Sandbox parent) {
        try (Fork fork = parent.fork(WAYS.size())) {
            List<Result> results = IntStream.range(0, WAYS.size())
                    .boxed()
                    .gather(Gatherers.mapConcurrent(WAYS.size(), i -> tried(fork.children().get(i), WAYS.get(i))))
                    .toList();
            results.forEach(result -> print(result.way().name(), result.passed()));
            return Collections.max(results, Comparator.comparingInt(Result::passed)).way();
        }
    }

    private static Result tried(Sandbox child, Way way) {
        child.files().writeString("/work/median.sh", way.program());
        return new Result(way, passed(child));
    }

    private static int passed(Sandbox sandbox) {
        return Integer.parseInt(sandbox.command("sh", "tests.sh")
                .workingDirectory("/work")
                .run()
                .stdoutText()
                .strip());
    }

    private static void print(String name, int passed) {
        System.out.printf("%-52s %d of 4 tests%n", name, passed);
    }
}
