package outside;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.cloche.Cloche;
import dev.cloche.Ready;
import dev.cloche.Sandbox;
import dev.cloche.junit.EnabledIfCloche;
import dev.cloche.junit.Sandboxed;
import dev.cloche.junit.SandboxedService;
import java.io.IOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

@EnabledIfCloche
class ExtensionTest {
    @RegisterExtension
    static final SandboxedService SERVICE = new SandboxedService("base")
            .withMemoryMib(256)
            .withCommand("sh", "-c", "echo ready; exec nc -ll -p 8080 -e echo $WORD")
            .withEnv("WORD", "hello")
            .withExposedPorts(8080)
            .waitingFor(Ready.log("ready"));

    @Test
    void aParameterIsASandbox(@Sandboxed(image = "base", memoryMib = 256) Sandbox sandbox) {
        assertEquals("42\n", sandbox.exec("echo", "42").stdoutText());
    }

    @Test
    void aServiceIsReachedWithoutANetwork() throws IOException {
        try (Socket socket = new Socket(SERVICE.getHost(), SERVICE.getMappedPort(8080))) {
            assertEquals("hello\n", new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8));
        }
    }

    @AfterAll
    static void onlyTheServiceIsLeft(Cloche cloche) {
        assertEquals(1, cloche.sandboxes().list().size());
    }
}
