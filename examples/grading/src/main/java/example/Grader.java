package example;

import dev.cloche.Cloche;
import dev.cloche.ExecResult;
import dev.cloche.Sandbox;
import dev.cloche.base.ClocheException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;

/** Runs a submission with the input of each test, and compares what it writes. Safe for use from several threads. */
final class Grader {
    private static final Map<String, String> OUTPUTS_BY_INPUT =
            new TreeMap<>(Map.of("3\n9\n4\n", "9\n", "5\n", "5\n", "-3\n-8\n", "-3\n"));
    private static final Duration LONGEST = Duration.ofSeconds(10);
    private static final int MOST_OUTPUT = 64 << 10;

    private final Cloche cloche;
    private final int memoryMib;

    Grader(Cloche cloche, int memoryMib) {
        this.cloche = cloche;
        this.memoryMib = memoryMib;
    }

    Grade grade(Submission submission) {
        String file = "/submissions/" + submission.student() + "/program.sh";
        int passed = 0;
        String remark = "";
        try (Sandbox sandbox = cloche.sandbox("base").memoryMib(memoryMib).start()) {
            sandbox.files().writeString(file, submission.program());
            for (var test : OUTPUTS_BY_INPUT.entrySet()) {
                ExecResult result = sandbox.command("sh", file)
                        .timeout(LONGEST)
                        .outputLimit(MOST_OUTPUT)
                        .run(test.getKey().getBytes(StandardCharsets.UTF_8));
                if (result.timedOut() || result.truncated()) {
                    remark = result.timedOut() ? "takes too long" : "writes too much";
                    break; // it would with the other tests too
                }
                if (result.exitCode() == 0 && result.stdoutText().equals(test.getValue())) {
                    passed++;
                } else {
                    remark = result.exitCode() == 0
                            ? "wrote " + result.stdoutText().strip() + " in place of " + test.getValue().strip()
                            : "failed: " + result.stderrText().strip();
                }
            }
        } catch (ClocheException broken) {
            remark = "broke its sandbox: " + broken.sentence();
        }
        return new Grade(submission.student(), passed, OUTPUTS_BY_INPUT.size(), remark);
    }
}
