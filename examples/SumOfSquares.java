import dev.cloche.Cloche;
import dev.cloche.ExecResult;
import dev.cloche.Execution;
import dev.cloche.Sandbox;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.time.Duration;

/** Runs untrusted code in a VM of its own: reads its output first as a whole, then line by line as it is written. */
class SumOfSquares {
    public static void main(String[] arguments) throws Exception {
        try (Cloche cloche = Cloche.open();
                Sandbox sandbox = cloche.sandbox("base").memoryMib(256).start()) {

            ExecResult sum = sandbox.command("awk", "{ s += $1 * $1 } END { print s }")
                    .timeout(Duration.ofSeconds(30))
                    .run("1\n2\n3\n".getBytes(StandardCharsets.UTF_8))
                    .orThrow();
            System.out.println("sum of squares: " + sum.stdoutText().strip());

            try (Execution steps = sandbox.command("sh", "-c", "for i in 1 2 3; do echo step $i; done; exit 3").start();
                    BufferedReader lines = new BufferedReader(new InputStreamReader(steps.stdout(), StandardCharsets.UTF_8))) {
                for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                    System.out.println("the guest says: " + line);
                }
                System.out.println("exit code: " + steps.await().shellCode());
            }
        }
    }
}
