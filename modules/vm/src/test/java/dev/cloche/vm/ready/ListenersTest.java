package dev.cloche.vm.ready;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cloche.base.Deadline;
import dev.cloche.vm.GuestFileException;
import dev.cloche.vm.GuestFiles;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** The sockets of this host's kernel, which is asked in place of a guest's. */
class ListenersTest {
    /** What can be read of this host. */
    private static final GuestFiles HOST = (GuestFiles) Proxy.newProxyInstance(
            GuestFiles.class.getClassLoader(), new Class<?>[] {GuestFiles.class}, (_, method, arguments) -> {
                assertThat(method.getName()).isEqualTo("readAllBytes");
                Path file = Path.of((String) arguments[0]);
                if (Files.notExists(file)) {
                    throw GuestFileException.of(GuestFileException.NoSuchFile.ERRNO, file.toString());
                }
                return Files.readAllBytes(file);
            });

    private static boolean listens(int port) {
        return Listeners.has(port, HOST, Deadline.after(Duration.ofMinutes(5)));
    }

    @Test
    void aPortThatAProgramListensOnIsFoundAndOneThatIsOnlyConnectedIsNot() throws IOException {
        try (ServerSocket server = new ServerSocket(0, 1, InetAddress.ofLiteral("127.0.0.1"));
                Socket client = new Socket(server.getInetAddress(), server.getLocalPort())) {
            assertThat(listens(server.getLocalPort())).isTrue();
            assertThat(listens(client.getLocalPort())).isFalse();
        }
        try (ServerSocket any = new ServerSocket(0)) {
            assertThat(listens(any.getLocalPort())).isTrue();
        }
    }
}
