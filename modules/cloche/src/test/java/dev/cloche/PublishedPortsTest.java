package dev.cloche;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cloche.base.ClocheException;
import dev.cloche.base.Deadline;
import dev.cloche.vm.DialRequest;
import dev.cloche.vm.FileWatch;
import dev.cloche.vm.GuestFiles;
import dev.cloche.vm.GuestStream;
import dev.cloche.vm.PublishedPort;
import dev.cloche.vm.VmException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

/** The ports that a handle has lead into its guest; {@link PortForwardIT} has real ones. */
class PublishedPortsTest {
    private static final PublishedPort PUBLISHED =
            PublishedPort.parse("127.0.0.1:8080:80").getFirst();

    private final PublishedPorts.Forwards forwards = new PublishedPorts.Forwards(new SayingGuest());
    private final PublishedPorts ports = new PublishedPorts(new SayingGuest(), forwards);

    @Test
    void aPublishedPortIsToldAndAnotherLeadsThere() throws IOException {
        assertThat(ports.list()).containsExactly(PUBLISHED);
        assertThat(ports.of(80)).isEqualTo(PUBLISHED);
        assertThat(ports.list()).containsExactly(PUBLISHED);

        PublishedPort led = ports.of(6379);
        assertThat(led.hostAddress()).isEqualTo(PublishedPort.LOOPBACK);
        assertThat(ports.of(6379)).isEqualTo(led);
        assertThat(ports.list()).containsExactly(PUBLISHED, led);
        assertThat(said(led)).isEqualTo("6379");
        assertThat(said(ports.of(5432))).isEqualTo("5432");
        forwards.close();
    }

    @Test
    void aPortEndsWithItsHandle() throws IOException {
        PublishedPort led = ports.of(6379);
        forwards.close();
        forwards.close();
        assertThat(ports.list()).containsExactly(PUBLISHED);
        assertThatThrownBy(() -> said(led)).isInstanceOf(IOException.class);
        assertThatThrownBy(() -> ports.of(6379))
                .isInstanceOf(ClocheException.class)
                .hasMessageContaining("closed");
        assertThat(ports.of(80)).isEqualTo(PUBLISHED);
    }

    @Test
    void aPortThatThereIsNotIsRefused() {
        assertThatThrownBy(() -> ports.of(0)).isInstanceOf(VmException.Invalid.class);
        assertThatThrownBy(() -> ports.of(65_536)).isInstanceOf(VmException.Invalid.class);
        assertThat(ports.list()).containsExactly(PUBLISHED);
    }

    private static String said(PublishedPort port) throws IOException {
        try (Socket socket = new Socket()) {
            socket.connect(port.address());
            return new String(socket.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
        }
    }

    /** Says on each connection which port it is to. */
    private static final class SayingGuest implements GuestOwner {
        @Override
        public List<PublishedPort> publishedPorts() {
            return List.of(PUBLISHED);
        }

        @Override
        public PublishedPort publish(PublishedPort port, Deadline deadline) {
            throw new AssertionError("not asked for");
        }

        @Override
        public void unpublish(PublishedPort port, Deadline deadline) {
            throw new AssertionError("not asked for");
        }

        @Override
        public GuestStream dial(DialRequest request, Deadline deadline) {
            int port = ((DialRequest.Port) request).port();
            return new Said(ByteBuffer.wrap(String.valueOf(port).getBytes(StandardCharsets.US_ASCII)));
        }

        @Override
        public <T> T withFiles(Function<GuestFiles, T> action) {
            throw new AssertionError();
        }

        @Override
        public InputStream readFile(Function<GuestFiles, ? extends InputStream> opening) {
            throw new AssertionError();
        }

        @Override
        public OutputStream writeFile(Function<GuestFiles, ? extends OutputStream> opening) {
            throw new AssertionError();
        }

        @Override
        public FileWatch watchFiles(Function<GuestFiles, FileWatch> opening) {
            throw new AssertionError();
        }

        @Override
        public RuntimeException ended(VmException lost) {
            return lost;
        }

        @Override
        public Optional<VmException.Hindered> hindrance() {
            return Optional.empty();
        }
    }

    private record Said(ByteBuffer words) implements GuestStream {
        @Override
        public int read(ByteBuffer target) {
            if (!words.hasRemaining()) {
                return -1;
            }
            int before = words.remaining();
            while (words.hasRemaining() && target.hasRemaining()) {
                target.put(words.get());
            }
            return before - words.remaining();
        }

        @Override
        public int write(ByteBuffer source) {
            int count = source.remaining();
            source.position(source.limit());
            return count;
        }

        @Override
        public boolean isOpen() {
            return true;
        }

        @Override
        public void shutdownOutput() {}

        @Override
        public void close() {}

        @Override
        public void abort() {}
    }
}
