package dev.cloche.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The example runs as its page says. */
class ExampleIT {
    @TempDir
    Path home;

    @Test
    void sumOfSquaresPrintsWhatTheGuestComputed() throws Exception {
        Program cloche = Program.in(home);
        ProcessBuilder example =
                new ProcessBuilder(Program.root().resolve("examples/run").toString(), "SumOfSquares");
        example.environment().putAll(cloche.environment());
        Process process = example.redirectErrorStream(true).start();
        process.getOutputStream().close();

        assertThat(Program.text(process.getInputStream())).isEqualTo("""
                        sum of squares: 14
                        the guest says: step 1
                        the guest says: step 2
                        the guest says: step 3
                        exit code: 3
                        """);
        assertThat(process.waitFor()).isZero();
        assertThat(cloche.vmProcesses()).isEmpty();
    }
}
