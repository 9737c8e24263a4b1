package dev.cloche.qemu;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cloche.vm.DialRequest;
import dev.cloche.vm.ExecRequest;
import dev.cloche.vm.GuestException;
import dev.cloche.vm.GuestExecution;
import dev.cloche.vm.GuestFailure;
import dev.cloche.vm.GuestIdentity;
import dev.cloche.vm.GuestStream;
import dev.cloche.vm.SpawnException;
import dev.cloche.vm.Vm;
import java.io.IOException;
import java.io.OutputStream;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.ClosedChannelException;
import java.nio.file.Files;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Streams into a guest that has no network, to a server of its own ({@code src/test/c/dialserver.c}). */
class GuestStreamIT extends QemuTest {
    private static final int PORT = 7000;
    private static final int MOST = 256;

    @BeforeAll
    static void makeDiskWithAServer() throws Exception {
        disk = QemuInstallation.diskWith("dialserver", Files.createDirectory(shared.resolve("dial")));
    }

    /** Returns once the server listens. */
    private GuestExecution serving(Vm vm, String where) throws IOException {
        GuestExecution server = vm.guest().exec(ExecRequest.of("dialserver", where), soon());
        assertThat(server.stdout().readNBytes(6)).asString().isEqualTo("ready\n");
        return server;
    }

    private Vm serving() throws IOException {
        Vm vm = running();
        serving(vm, String.valueOf(PORT));
        return vm;
    }

    private GuestStream dial(Vm vm, DialRequest request, char what) throws IOException {
        GuestStream stream = vm.guest().dial(request, soon());
        write(stream, String.valueOf(what));
        return stream;
    }

    private GuestStream dial(Vm vm, char what) throws IOException {
        return dial(vm, DialRequest.port(PORT), what);
    }

    private static void write(GuestStream stream, String text) throws IOException {
        stream.write(ByteBuffer.wrap(text.getBytes(UTF_8)));
    }

    private static String rest(GuestStream stream) throws IOException {
        return new String(Channels.newInputStream(stream).readAllBytes(), UTF_8);
    }

    private static String read(GuestStream stream, int length) throws IOException {
        return new String(Channels.newInputStream(stream).readNBytes(length), UTF_8);
    }

    @Test
    void eachSideEndsByItself() throws Exception {
        try (Vm vm = running()) {
            GuestExecution server = serving(vm, String.valueOf(PORT));
            try (GuestStream echo = dial(vm, 'e')) {
                write(echo, "hello");
                assertThat(read(echo, 5)).isEqualTo("hello");
                write(echo, "again");
                echo.shutdownOutput();
                assertThat(rest(echo)).isEqualTo("again");
                assertThatThrownBy(() -> write(echo, "late")).isInstanceOf(SocketException.class);
            }
            GuestStream bye = dial(vm, 'b');
            assertThat(rest(bye)).isEqualTo("bye");
            write(bye, "x".repeat(100_000));
            bye.shutdownOutput();
            assertThat(server.stderr().readNBytes(7)).asString().isEqualTo("100000\n");
            bye.close();
            assertThatThrownBy(() -> write(bye, "x")).isInstanceOf(ClosedChannelException.class);
        }
    }

    @Test
    void whatWasWrittenBeforeACloseArrives() throws Exception {
        try (Vm vm = running()) {
            GuestExecution server = serving(vm, String.valueOf(PORT));
            GuestStream bye = dial(vm, 'b');
            write(bye, "x".repeat(60_000));
            bye.close();
            assertThat(server.stderr().readNBytes(6)).asString().isEqualTo("60000\n");
        }
    }

    @Test
    void aResetIsSeenByTheOtherSide() throws Exception {
        try (Vm vm = running()) {
            GuestExecution server = serving(vm, String.valueOf(PORT));
            try (GuestStream reset = dial(vm, 'r')) {
                assertThatThrownBy(() -> rest(reset))
                        .isInstanceOf(SocketException.class)
                        .hasCauseInstanceOf(GuestException.ConnectionReset.class);
            }
            GuestStream aborted = dial(vm, 'b');
            assertThat(rest(aborted)).isEqualTo("bye");
            aborted.abort();
            // Its read has failed, or has met the end of nothing.
            assertThat(server.stderr().readNBytes(2)).asString().isEqualTo("0\n");
        }
    }

    @Test
    void thePeerIsNoLoopbackAlsoWhereTheGuestTampersWithIt() throws Exception {
        try (Vm vm = serving()) {
            serving(vm, "[::1]");
            assertThat(rest(dial(vm, 'p'))).isEqualTo("10.203.0.1");
            assertThat(rest(dial(vm, DialRequest.port(6000), 'p'))).isEqualTo("fd0c:10c::1");
            shell(vm, "busybox ip addr flush dev lo scope host; busybox ip addr add 127.0.0.1/8 dev lo");
            assertThat(rest(dial(vm, 'p'))).isEqualTo("10.203.0.1");
            assertThat(rest(dial(vm, DialRequest.port(PORT).fromLoopback(), 'p')))
                    .isEqualTo("127.0.0.1");
        }
    }

    @Test
    void aPathIsConnectedToByTheUserThatIsNamed() throws Exception {
        try (Vm vm = running()) {
            serving(vm, "/tmp/a.sock");
            shell(vm, "busybox chmod 777 /tmp/a.sock");
            DialRequest.UnixSocket path = DialRequest.path("/tmp/a.sock");
            assertThat(rest(dial(vm, path, 'p'))).isEqualTo("user 0");
            assertThat(rest(dial(vm, path.asUser("1234"), 'p'))).isEqualTo("user 1234");
            shell(vm, "busybox chmod 700 /tmp/a.sock");
            assertThatThrownBy(() -> dial(vm, path.asUser("1234"), 'p'))
                    .isInstanceOf(GuestException.ConnectionRefused.class)
                    .hasMessageContaining("Permission denied");
            assertThatThrownBy(() -> dial(vm, path.asUser("nemo"), 'p')).isInstanceOf(SpawnException.UnknownUser.class);
        }
    }

    @Test
    void whereNothingListensAConnectionIsRefusedOrWaitsForIt() throws Exception {
        try (Vm vm = running()) {
            assertThatThrownBy(() -> dial(vm, 'p')).isInstanceOf(GuestException.ConnectionRefused.class);
            for (DialRequest request : List.of(DialRequest.port(PORT), DialRequest.path("/tmp/b.sock"))) {
                DialRequest patient = request.withPatience(Duration.ofMinutes(1));
                CompletableFuture<GuestStream> dialed =
                        CompletableFuture.supplyAsync(() -> vm.guest().dial(patient, soon()));
                serving(vm, request instanceof DialRequest.UnixSocket socket ? socket.path() : String.valueOf(PORT));
                try (GuestStream stream = dialed.join()) {
                    write(stream, "e");
                    stream.shutdownOutput();
                    assertThat(rest(stream)).isEmpty();
                }
            }
        }
    }

    @Test
    void manyStreamsGoOnBesideAFloodAndAServerThatNeverReads() throws Exception {
        try (Vm vm = serving()) {
            GuestStream flood = dial(vm, 'f');
            GuestStream unread = dial(vm, 'f');
            GuestStream mute = dial(vm, 'm');
            CompletableFuture<Void> stuck = CompletableFuture.runAsync(() -> {
                assertThatThrownBy(() -> write(mute, "x".repeat(64 << 20))).isInstanceOf(IOException.class);
            });
            CompletableFuture<Void> flooded = CompletableFuture.runAsync(() -> {
                assertThatThrownBy(() -> Channels.newInputStream(flood).transferTo(OutputStream.nullOutputStream()))
                        .isInstanceOf(IOException.class);
            });
            List<GuestStream> echoes = new ArrayList<>();
            while (echoes.size() < MOST - 3) {
                echoes.add(dial(vm, 'e'));
            }
            assertThatThrownBy(() -> dial(vm, 'e'))
                    .isInstanceOfSatisfying(
                            GuestException.Refused.class,
                            refused -> assertThat(refused.failure()).isEqualTo(GuestFailure.OUT_OF_RESOURCES));
            for (GuestStream echo : echoes) {
                write(echo, "x".repeat(1000));
            }
            for (GuestStream echo : echoes) {
                assertThat(read(echo, 1000)).hasSize(1000);
            }
            vm.guest().ping(soon());
            echoes.forEach(GuestStream::close);
            for (GuestStream other : List.of(flood, unread, mute)) {
                other.abort();
            }
            flooded.join();
            stuck.join();
            try (GuestStream again = dial(vm, 'e')) {
                write(again, "y");
                assertThat(read(again, 1)).isEqualTo("y");
            }
        }
    }

    @Test
    void hundredMebibytesArriveAsTheyWere() throws Exception {
        byte[] bytes = new byte[100 << 20];
        for (int i = 0; i < bytes.length; i++) {
            bytes[i] = (byte) ((i * 0x9E3779B1) >>> 24);
        }
        String digest =
                HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
        try (Vm vm = serving()) {
            try (GuestStream up = dial(vm, 's')) {
                up.write(ByteBuffer.wrap(bytes));
                up.shutdownOutput();
                assertThat(rest(up)).startsWith(digest);
            }
            try (GuestStream down = dial(vm, 'g')) {
                assertThat(Channels.newInputStream(down).readAllBytes()).isEqualTo(bytes);
            }
        }
    }

    @Test
    void aStreamLivesOnInNoClone() throws Exception {
        try (Vm vm = serving();
                GuestStream echo = dial(vm, 'e')) {
            try (Vm clone = clone(snapshot(vm, "served"))) {
                assertThat(rest(dial(clone, 'p'))).isEqualTo("10.203.0.1");
                // That of its original is reset as soon as the clone's host speaks.
                assertThat(shell(clone, "busybox netstat -nt | busybox grep -c ESTABLISHED; true"))
                        .isEqualTo("0\n");
            }
            write(echo, "x");
            assertThat(read(echo, 1)).isEqualTo("x");
        }
    }

    @Test
    void withoutAnIdentityNoStreamBegins() throws Exception {
        try (Vm vm = serving();
                GuestStream echo = dial(vm, 'e')) {
            vm.guest().quiesce(soon());
            assertThatThrownBy(() -> dial(vm, 'p'))
                    .isInstanceOfSatisfying(
                            GuestException.Refused.class,
                            refused -> assertThat(refused.failure()).isEqualTo(GuestFailure.NEEDS_IDENTITY));
            vm.guest().configure(GuestIdentity.UNCHANGED.withEntropy(new byte[32]), soon());
            assertThat(rest(dial(vm, 'p'))).isEqualTo("10.203.0.1");
            write(echo, "x");
            assertThat(read(echo, 1)).isEqualTo("x");
        }
    }

    @Test
    void theEndOfTheGuestIsAnErrorOfItsStreams() throws Exception {
        try (Vm vm = serving();
                GuestStream echo = dial(vm, 'e')) {
            vm.kill(soon());
            assertThatThrownBy(() -> rest(echo))
                    .isInstanceOf(SocketException.class)
                    .hasCauseInstanceOf(GuestException.ConnectionLost.class);
        }
    }
}
