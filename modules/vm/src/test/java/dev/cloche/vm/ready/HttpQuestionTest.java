package dev.cloche.vm.ready;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cloche.base.Deadline;
import dev.cloche.vm.GuestException;
import dev.cloche.vm.GuestStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Answers of a server on this host's loopback, which is dialled in place of one in a guest. */
class HttpQuestionTest {
    private static final Duration LONG = Duration.ofMinutes(5);

    private ServerSocket server;

    private interface Answer {
        void write(OutputStream to) throws IOException;
    }

    @BeforeEach
    void listen() throws IOException {
        server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
    }

    @AfterEach
    void close() throws IOException {
        server.close();
    }

    private Optional<String> trouble(Duration limit, Answer answer) {
        Thread.startVirtualThread(() -> {
            try (Socket asked = server.accept()) {
                answer.write(asked.getOutputStream());
                asked.shutdownOutput();
                asked.getInputStream().readAllBytes();
            } catch (IOException gone) {
                // The asking side has enough.
            }
        });
        HttpQuestion question = new HttpQuestion(
                (request, deadline) -> {
                    try {
                        return new HostStream(SocketChannel.open(server.getLocalSocketAddress()));
                    } catch (IOException e) {
                        throw new UncheckedIOException(e);
                    }
                },
                8000,
                "/health");
        return question.trouble(Deadline.after(limit));
    }

    private Optional<String> troubleWith(String answer) {
        return trouble(LONG, to -> to.write(answer.getBytes(StandardCharsets.US_ASCII)));
    }

    @Test
    void aStatusFrom200To399IsNoTrouble() {
        assertThat(troubleWith("HTTP/1.1 200 OK\r\nServer: it\r\n\r\nthe body")).isEmpty();
        assertThat(troubleWith("HTTP/1.0 302\r\n\r\n")).isEmpty();
    }

    @Test
    void anyOtherStatusIsTold() {
        assertThat(troubleWith("HTTP/1.1 404 Not Found\r\n\r\n"))
                .contains("port 8000 of its guest answers GET /health with 404");
        assertThat(troubleWith("HTTP/1.1 503 Service Unavailable\r\n\r\n"))
                .hasValueSatisfying(why -> assertThat(why).endsWith("with 503"));
        assertThat(troubleWith("HTTP/1.1 100 Continue\r\n\r\n"))
                .hasValueSatisfying(why -> assertThat(why).endsWith("with 100"));
    }

    @Test
    void whatIsNoWholeAnswerIsTrouble() {
        Optional<String> none = Optional.of("no whole answer of HTTP comes from port 8000 of its guest");
        assertThat(troubleWith("HTTP/1.1 200 OK\r\nServer: it")).isEqualTo(none);
        assertThat(troubleWith("220 mail.example ESMTP\r\n\r\n")).isEqualTo(none);
        assertThat(troubleWith("HTTP/1.1 2000\r\n\r\n")).isEqualTo(none);
        assertThat(troubleWith("")).isEqualTo(none);
    }

    @Test
    void aHeadWithoutAnEndIsReadToItsLimitOnly() {
        byte[] more = "X-More: and more\r\n".getBytes(StandardCharsets.US_ASCII);
        assertThat(trouble(LONG, to -> {
                    to.write("HTTP/1.1 200 OK\r\n".getBytes(StandardCharsets.US_ASCII));
                    while (true) {
                        to.write(more);
                    }
                }))
                .hasValueSatisfying(why -> assertThat(why).startsWith("no whole answer"));
    }

    @Test
    void aServerThatDoesNotEndItsHeadIsWaitedForUntilTheDeadlineOnly() {
        CountDownLatch answered = new CountDownLatch(1);
        assertThat(trouble(Duration.ofMillis(200), to -> {
                    to.write("HTTP/1.1 200 OK\r\n".getBytes(StandardCharsets.US_ASCII));
                    try {
                        answered.await();
                    } catch (InterruptedException e) {
                        Thread.currentThread().interrupt();
                    }
                }))
                .hasValueSatisfying(why -> assertThat(why).startsWith("no whole answer"));
        answered.countDown();
    }

    @Test
    void wherePortsAreClosedThatIsTold() {
        HttpQuestion question = new HttpQuestion(
                (request, deadline) -> {
                    throw new GuestException.ConnectionRefused(request.target());
                },
                8000,
                "/");
        assertThat(question.trouble(Deadline.after(LONG))).contains("no program listens on port 8000 of its guest");
    }

    @Test
    void aPathIsOfAUri() {
        assertThat(HttpQuestion.isPath("/")).isTrue();
        assertThat(HttpQuestion.isPath("//a/b%20c?d=e")).isTrue();
        assertThat(HttpQuestion.isPath("health")).isFalse();
        assertThat(HttpQuestion.isPath("")).isFalse();
        assertThat(HttpQuestion.isPath("/a b")).isFalse();
        assertThat(HttpQuestion.isPath("/a\r\nX: y")).isFalse();
        assertThat(HttpQuestion.isPath("/ü")).isFalse();
    }

    private record HostStream(SocketChannel channel) implements GuestStream {
        @Override
        public int read(ByteBuffer target) throws IOException {
            return channel.read(target);
        }

        @Override
        public int write(ByteBuffer source) throws IOException {
            return channel.write(source);
        }

        @Override
        public void shutdownOutput() throws IOException {
            channel.shutdownOutput();
        }

        @Override
        public boolean isOpen() {
            return channel.isOpen();
        }

        @Override
        public void close() {
            abort();
        }

        @Override
        public void abort() {
            try {
                channel.close();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }
}
