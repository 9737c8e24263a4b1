package outside;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.cloche.Cloche;
import dev.cloche.Sandbox;
import dev.cloche.junit.EnabledIfCloche;
import dev.cloche.junit.Sandboxed;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;

@EnabledIfCloche
class ExtensionTest {
    @Test
    void aParameterIsASandbox(@Sandboxed(image = "base", memoryMib = 256) Sandbox sandbox) {
        assertEquals("42\n", sandbox.exec("echo", "42").stdoutText());
    }

    @AfterAll
    static void itHasEnded(Cloche cloche) {
        assertTrue(cloche.sandboxes().list().isEmpty());
    }
}
