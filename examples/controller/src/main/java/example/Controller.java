package example;

import dev.cloche.Cloche;
import dev.cloche.ExecResult;
import dev.cloche.Sandbox;
import java.time.Duration;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RestController;

/** Runs what it is sent, each script in a VM of its own, which has stood ready. */
@SpringBootApplication
@RestController
public class Controller {
    private final Cloche cloche;

    Controller(Cloche cloche) {
        this.cloche = cloche;
    }

    public static void main(String[] arguments) {
        SpringApplication.run(Controller.class, arguments);
    }

    /** @param why the script was killed, or empty */
    record Answer(String output, String errors, int exitCode, String why) {}

    @PostMapping("/run")
    Answer run(@RequestBody String script) {
        try (Sandbox sandbox = cloche.sandbox("base").memoryMib(256).start()) {
            ExecResult result = sandbox.command("sh", "-c", script)
                    .timeout(Duration.ofSeconds(10))
                    .outputLimit(64 << 10)
                    .run();
            String why = result.timedOut() ? "it took too long" : result.truncated() ? "it wrote too much" : "";
            return new Answer(result.stdoutText(), result.stderrText(), result.exitCode(), why);
        }
    }
}
