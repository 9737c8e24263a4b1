package dev.cloche.qemu.qmp;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cloche.base.Deadline;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a monitor says unasked, said by a stand-in: a real QEMU says it before its greeting once in sixty starts. */
class QmpConnectionTest {
    private static final String EVENT = "{\"event\":\"NETDEV_STREAM_CONNECTED\",\"data\":{\"netdev-id\":\"n0\"}}\n";
    private static final String GREETING = "{\"QMP\":{\"version\":{},\"capabilities\":[]}}\n";
    private static final String DONE = "{\"return\":{}}\n";
    private static final String STATUS = "{\"return\":{\"status\":\"paused\"}}\n";

    @TempDir
    Path directory;

    private Map<String, String> statusSaidBy(String... lines) throws IOException {
        Path socket = directory.resolve("monitor");
        try (ServerSocketChannel listener = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            listener.bind(UnixDomainSocketAddress.of(socket));
            try (QmpConnection qemu = QmpConnection.open(socket, Deadline.after(Duration.ofMinutes(1)), () -> {});
                    SocketChannel peer = listener.accept()) {
                peer.write(ByteBuffer.wrap(String.join("", lines).getBytes(UTF_8)));
                Map<String, String> status =
                        qemu.execute(QmpCommand.of("query-status")).texts();
                if (String.join("", lines).contains("NETDEV")) {
                    assertThat(qemu.event("NETDEV_STREAM_CONNECTED")).containsEntry("netdev-id", "n0");
                }
                return status;
            }
        }
    }

    @Test
    void anEventBeforeTheGreetingIsNoted() throws IOException {
        assertThat(statusSaidBy(EVENT, GREETING, DONE, STATUS)).containsEntry("status", "paused");
    }

    @Test
    void anEventBetweenTheGreetingAndTheAnswersIsNoted() throws IOException {
        assertThat(statusSaidBy(GREETING, EVENT, DONE, STATUS)).containsEntry("status", "paused");
    }

    @Test
    void whoAnswersWithoutAGreetingIsNotQemu() {
        assertThatThrownBy(() -> statusSaidBy(DONE, STATUS))
                .isInstanceOf(IOException.class)
                .hasMessage("it does not greet");
    }
}
