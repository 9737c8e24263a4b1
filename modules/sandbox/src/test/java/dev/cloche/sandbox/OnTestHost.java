package dev.cloche.sandbox;

import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** A test with a host of its own, on which nothing may go on when it ends. */
abstract class OnTestHost {
    @TempDir
    Path root;

    TestHost host;
    SandboxManager sandboxes;

    @BeforeEach
    void openHost() {
        host = new TestHost(root);
        sandboxes = host.here.sandboxes();
    }

    @AfterEach
    void closeHost() {
        host.close();
    }
}
