package outside;

import dev.cloche.Cloche;
import dev.cloche.Sandbox;
import java.util.concurrent.CountDownLatch;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RestController;

/** Runs what it is sent, each in a sandbox of its own. */
@RestController
public class Scripts {
    private final Cloche cloche;
    private final CountDownLatch running = new CountDownLatch(2);

    public Scripts(Cloche cloche) {
        this.cloche = cloche;
    }

    @PostMapping("/run")
    public String run(@RequestBody String script) {
        try (Sandbox sandbox = cloche.sandbox("base").memoryMib(256).start()) {
            running.countDown();
            return sandbox.exec("sh", "-c", script).stdoutText();
        }
    }

    void awaitSecond() throws InterruptedException {
        running.await();
    }
}
