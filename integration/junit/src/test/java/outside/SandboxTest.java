package outside;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.cloche.Cloche;
import dev.cloche.ExecResult;
import dev.cloche.Sandbox;
import org.junit.jupiter.api.Test;

class SandboxTest {
    @Test
    void aSandboxRunsAProgram() {
        try (Cloche cloche = Cloche.open();
                Sandbox sandbox = cloche.sandbox("base").start()) {
            sandbox.files().writeString("/tmp/task.sh", "echo $((6 * 7)); exit 3");
            ExecResult result = sandbox.exec("sh", "/tmp/task.sh");
            assertEquals("42\n", result.stdoutText());
            assertEquals(3, result.exitCode());
        }
    }
}
