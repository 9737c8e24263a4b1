package example;

import dev.cloche.Cloche;
import dev.cloche.image.PullListener;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** Grades untrusted programs, each in a VM of its own. Bounds how many VMs run at once. */
public final class Grading {
    private static final int AT_ONCE = 4;
    private static final int MEMORY_MIB = 128;

    private Grading() {}

    public static void main(String[] arguments) throws Exception {
        int count = arguments.length == 0 ? 100 : Integer.parseInt(arguments[0]);
        try (Cloche cloche = Cloche.open()) {
            // From now on VMs stand ready: while one program is graded, the VM of the next one is restored.
            cloche.pools().pool("base").memoryMib(MEMORY_MIB).depth(AT_ONCE).set();
            cloche.pools().fill(PullListener.none()).forEach(System.err::println);
            try {
                grade(Submission.some(count), new Grader(cloche, MEMORY_MIB));
            } finally {
                cloche.pools().pool("base").memoryMib(MEMORY_MIB).remove();
            }
        }
    }

    private static void grade(List<Submission> submissions, Grader grader) throws Exception {
        try (ExecutorService seats = Executors.newFixedThreadPool(AT_ONCE)) {
            List<Future<Grade>> grades = new ArrayList<>();
            submissions.forEach(submission -> grades.add(seats.submit(() -> grader.grade(submission))));
            int passed = 0;
            for (Future<Grade> grade : grades) {
                System.out.println(grade.get());
                passed += grade.get().passed() ? 1 : 0;
            }
            System.out.printf("%d of %d passed%n", passed, submissions.size());
        }
    }
}
