package outside;

import dev.cloche.Cloche;
import dev.cloche.agentsandbox.AgentSandbox;
import java.time.Duration;
import java.util.List;
import org.springaicommunity.sandbox.ExecSpec;
import org.springaicommunity.sandbox.FileEntry;
import org.springaicommunity.sandbox.Sandbox;
import org.springaicommunity.sandbox.SandboxException;
import org.springaicommunity.sandbox.TimeoutException;

/** Writes files, runs a command on them, and gets a timeout, by the interface. */
public final class Application {
    private Application() {}

    public static void main(String[] args) {
        try (Cloche cloche = Cloche.open();
                Sandbox sandbox = AgentSandbox.of(cloche.sandbox("base").start())) {
            use(sandbox);
        }
        System.out.println("as it should be");
    }

    private static void use(Sandbox sandbox) {
        sandbox.files().create("a.txt", "40\n").create("deep/b.txt", "2\n");
        require(sandbox.exec(ExecSpec.builder()
                        .shellCommand("expr $(cat a.txt) + $(cat deep/b.txt)")
                        .build())
                .stdout()
                .equals("42\n"));
        require(sandbox.files().list(".", 2).stream()
                .map(FileEntry::path)
                .toList()
                .equals(List.of("a.txt", "deep", "deep/b.txt")));
        try {
            sandbox.exec(ExecSpec.builder()
                    .command("sleep", "1000")
                    .timeout(Duration.ofSeconds(1))
                    .build());
            throw new AssertionError();
        } catch (SandboxException late) {
            require(late.getCause() instanceof TimeoutException);
        }
    }

    private static void require(boolean holds) {
        if (!holds) {
            throw new AssertionError();
        }
    }
}
