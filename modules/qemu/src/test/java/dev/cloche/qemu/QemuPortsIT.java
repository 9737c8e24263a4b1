package dev.cloche.qemu;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cloche.qemu.qmp.ClientPort;
import dev.cloche.vm.ExecRequest;
import dev.cloche.vm.GuestExecution;
import dev.cloche.vm.GuestFailure;
import dev.cloche.vm.PublishedPort;
import dev.cloche.vm.Vm;
import dev.cloche.vm.VmException;
import dev.cloche.vmm.protocol.Frame;
import dev.cloche.vmm.protocol.FrameDecoder;
import dev.cloche.vmm.protocol.FrameEncoder;
import dev.cloche.vmm.protocol.GuestMessage;
import dev.cloche.vmm.protocol.HostFrames;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Ports of this host that a guard has lead into a guest without a network, to a server of ours ({@code src/test/c/dialserver.c}). */
class QemuPortsIT extends QemuTest {
    private static final int PORT = 7000;
    private static final int MOST = 256;

    @BeforeAll
    static void makeDiskWithAServer() throws Exception {
        disk = QemuInstallation.diskWith("dialserver", Files.createDirectory(shared.resolve("ports")));
    }

    private GuestExecution serving(Vm vm) throws IOException {
        GuestExecution server = vm.guest().exec(ExecRequest.of("dialserver", String.valueOf(PORT)), soon());
        assertThat(server.stdout().readNBytes(6)).asString().isEqualTo("ready\n");
        return server;
    }

    private static PublishedPort any() {
        return PublishedPort.parse("127.0.0.1:0:" + PORT).getFirst();
    }

    private PublishedPort published(Vm vm, PublishedPort port) {
        return provider.publish(vm.id(), List.of(port), soon()).getFirst();
    }

    private static Socket connect(PublishedPort port, char what) throws IOException {
        Socket socket = new Socket();
        socket.connect(port.address());
        write(socket, String.valueOf(what));
        return socket;
    }

    private static void write(Socket socket, String text) throws IOException {
        socket.getOutputStream().write(text.getBytes(UTF_8));
    }

    private static String rest(Socket socket) throws IOException {
        return new String(socket.getInputStream().readAllBytes(), UTF_8);
    }

    private static String read(Socket socket, int length) throws IOException {
        return new String(socket.getInputStream().readNBytes(length), UTF_8);
    }

    @Test
    void eachSideEndsByItselfAndThePeerIsNoLoopback() throws Exception {
        try (Vm vm = running()) {
            GuestExecution server = serving(vm);
            PublishedPort port = published(vm, any());
            assertThat(provider.publishedPorts(vm.id())).containsExactly(port);
            assertThat(provider.sincePortsUsed(vm.id())).isEmpty();
            try (Socket echo = connect(port, 'e')) {
                write(echo, "hello");
                assertThat(read(echo, 5)).isEqualTo("hello");
                echo.shutdownOutput();
                assertThat(rest(echo)).isEmpty();
            }
            try (Socket bye = connect(port, 'b')) {
                assertThat(rest(bye)).isEqualTo("bye");
                write(bye, "x".repeat(100_000));
                bye.shutdownOutput();
                assertThat(server.stderr().readNBytes(7)).asString().isEqualTo("100000\n");
            }
            try (Socket who = connect(port, 'p')) {
                assertThat(rest(who)).isEqualTo("10.203.0.1");
            }
            try (Socket reset = connect(port, 'r')) {
                assertThatThrownBy(() -> rest(reset)).isInstanceOf(SocketException.class);
            }
            assertThat(provider.sincePortsUsed(vm.id())).isPresent();
        }
    }

    @Test
    void whereNothingListensAClientIsReset() throws Exception {
        try (Vm vm = running()) {
            PublishedPort port = published(vm, any());
            assertThatThrownBy(() -> {
                        try (Socket refused = connect(port, 'e')) {
                            var _ = rest(refused);
                        }
                    })
                    .isInstanceOf(SocketException.class);
            serving(vm);
            try (Socket echo = connect(port, 'e')) {
                write(echo, "x");
                assertThat(read(echo, 1)).isEqualTo("x");
            }
        }
    }

    @Test
    void aPortThatIsTakenIsNamedAndThoseOfBeforeStay() throws Exception {
        try (Vm vm = running()) {
            serving(vm);
            PublishedPort port = published(vm, any());
            PublishedPort taken = refused(vm, port);
            assertThat(provider.publishedPorts(vm.id())).containsExactly(port);
            assertThat(published(vm, taken)).isEqualTo(taken);
            try (Socket first = connect(port, 'p');
                    Socket second = connect(taken, 'p')) {
                assertThat(rest(first)).isEqualTo(rest(second));
            }
        }
    }

    /** Returns one that was refused while another program listened on it, which it does no more. */
    private PublishedPort refused(Vm vm, PublishedPort port) throws IOException {
        try (ServerSocket other = new ServerSocket(0, 1, InetAddress.ofLiteral(PublishedPort.LOOPBACK))) {
            PublishedPort taken = port.withHostPort(other.getLocalPort());
            assertThatThrownBy(() -> provider.publish(vm.id(), List.of(any(), taken), soon()))
                    .isInstanceOfSatisfying(
                            VmException.PortUnavailable.class,
                            unavailable -> assertThat(unavailable.port()).isEqualTo(taken))
                    .hasMessageContaining("in use");
            return taken;
        }
    }

    @Test
    void whatIsTakenBackListensNoMoreAndItsConnectionsGoOn() throws Exception {
        try (Vm vm = running()) {
            serving(vm);
            PublishedPort port = published(vm, any());
            try (Socket echo = connect(port, 'e')) {
                write(echo, "x");
                assertThat(read(echo, 1)).isEqualTo("x");
                provider.unpublish(vm.id(), List.of(port), soon());
                assertThat(provider.publishedPorts(vm.id())).isEmpty();
                assertThatThrownBy(() -> connect(port, 'e')).isInstanceOf(IOException.class);
                write(echo, "y");
                assertThat(read(echo, 1)).isEqualTo("y");
                assertThat(published(vm, port)).isEqualTo(port);
                try (Socket again = connect(port, 'p')) {
                    assertThat(rest(again)).isEqualTo("10.203.0.1");
                }
            }
        }
    }

    @Test
    void manyConnectionsGoOnBesideAFloodAndAServerThatNeverReads() throws Exception {
        try (Vm vm = running()) {
            serving(vm);
            PublishedPort port = published(vm, any());
            Socket flood = connect(port, 'f');
            Socket unread = connect(port, 'f');
            Socket mute = connect(port, 'm');
            CompletableFuture<Void> stuck = CompletableFuture.runAsync(() ->
                    assertThatThrownBy(() -> write(mute, "x".repeat(64 << 20))).isInstanceOf(IOException.class));
            CompletableFuture<Void> flooded = CompletableFuture.runAsync(
                    () -> assertThatThrownBy(() -> flood.getInputStream().transferTo(OutputStream.nullOutputStream()))
                            .isInstanceOf(IOException.class));
            List<Socket> echoes = new ArrayList<>();
            while (echoes.size() < MOST - 3) {
                echoes.add(connect(port, 'e'));
            }
            // One more waits until there is room, and is not refused.
            Socket late = connect(port, 'e');
            write(late, "z");
            for (Socket echo : echoes) {
                write(echo, "x".repeat(1000));
            }
            for (Socket echo : echoes) {
                assertThat(read(echo, 1000)).hasSize(1000);
            }
            vm.guest().ping(soon());
            for (Socket echo : echoes) {
                echo.close();
            }
            assertThat(read(late, 1)).isEqualTo("z");
            late.close();
            for (Socket other : List.of(flood, unread, mute)) {
                other.setSoLinger(true, 0);
                other.close();
            }
            flooded.join();
            stuck.join();
        }
    }

    @Test
    void hundredMebibytesArriveAsTheyWere() throws Exception {
        byte[] bytes = new byte[100 << 20];
        IntStream.range(0, bytes.length).forEach(i -> bytes[i] = (byte) ((i * 0x9E3779B1) >>> 24));
        String digest =
                HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
        try (Vm vm = running()) {
            serving(vm);
            PublishedPort port = published(vm, any());
            try (Socket up = connect(port, 's')) {
                up.getOutputStream().write(bytes);
                up.shutdownOutput();
                assertThat(rest(up)).startsWith(digest);
            }
            try (Socket down = connect(port, 'g')) {
                assertThat(down.getInputStream().readAllBytes()).isEqualTo(bytes);
            }
        }
    }

    @Test
    void aCloneHasPortsOfItsOwn() throws Exception {
        try (Vm vm = running()) {
            serving(vm);
            PublishedPort port = published(vm, any());
            try (Socket echo = connect(port, 'e');
                    Vm clone = clone(snapshot(vm, "served"))) {
                assertThat(provider.publishedPorts(clone.id())).isEmpty();
                PublishedPort other = published(clone, any());
                try (Socket who = connect(other, 'p')) {
                    assertThat(rest(who)).isEqualTo("10.203.0.1");
                }
                write(echo, "x");
                assertThat(read(echo, 1)).isEqualTo("x");
            }
        }
    }

    /** Before the forwarder does: what a forwarder that a guest has broken could ask for. */
    @Test
    void theForwardersPortServesConnectionsAlone() throws Exception {
        try (Vm vm = running();
                SocketChannel port = new ClientPort(fixture.layout(), vm.id(), VmLayout.FORWARDER).connect(soon())) {
            send(port, FrameEncoder.opening(7));
            send(port, HostFrames.shutdown(5, 0));
            assertThat(answer(port)).isInstanceOfSatisfying(GuestMessage.Failed.class, failed -> {
                assertThat(failed.request()).isEqualTo(5);
                assertThat(failed.failure()).isEqualTo(GuestFailure.UNSUPPORTED);
            });
            send(port, HostFrames.ping(6, 1));
            assertThat(answer(port)).isInstanceOf(GuestMessage.Pong.class);
            vm.guest().ping(soon());
        }
    }

    private static void send(SocketChannel port, ByteBuffer bytes) throws IOException {
        while (bytes.hasRemaining()) {
            port.write(bytes);
        }
    }

    private static GuestMessage answer(SocketChannel port) throws IOException {
        FrameDecoder decoder = new FrameDecoder();
        while (true) {
            for (Optional<Frame> frame = decoder.next(); frame.isPresent(); frame = decoder.next()) {
                if (GuestMessage.parse(frame.get()) instanceof GuestMessage.Answer answer) {
                    return answer;
                }
            }
            assertThat(port.read(decoder.space())).isPositive();
            decoder.filled();
        }
    }
}
