package dev.cloche.vm.ready;

import dev.cloche.base.Deadline;
import dev.cloche.base.Printable;
import dev.cloche.vm.DialRequest;
import dev.cloche.vm.GuestException;
import dev.cloche.vm.GuestStream;
import dev.cloche.vm.VmException;
import java.io.IOException;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Asks a server in a guest for a page, through the guest's agent. Reads the head of the answer only. The JDK's client opens its
 * connections itself, and cannot be given one.
 */
public final class HttpQuestion {
    private static final int MOST_HEAD = 64 * 1024;
    private static final byte[] END = {'\r', '\n', '\r', '\n'};
    private static final Pattern STATUS = Pattern.compile("HTTP/1\\.[01] ([1-9][0-9][0-9])[ \r].*", Pattern.DOTALL);
    private static final String HOST = "http://localhost";

    private final Dialer dialer;
    private final int port;
    private final String path;

    /** Connects to what listens in the guest. */
    public interface Dialer {
        GuestStream dial(DialRequest request, Deadline deadline);
    }

    /**
     * Describes a GET.
     *
     * @param port 1 to 65,535
     * @param path one of {@link #isPath}
     */
    public HttpQuestion(Dialer dialer, int port, String path) {
        this.dialer = dialer;
        this.port = port;
        this.path = path;
    }

    /** Returns whether a text begins with {@code /} and has only letters that a URI may have. */
    public static boolean isPath(String text) {
        try {
            return text.startsWith("/")
                    && text.equals(new URI(HOST + text).toASCIIString().substring(HOST.length()));
        } catch (URISyntaxException e) {
            return false;
        }
    }

    /**
     * Returns why the server does not serve, a sentence without a full stop; empty if the whole head of an answer comes in time,
     * with a status from 200 to 399.
     */
    public Optional<String> trouble(Deadline deadline) {
        CompletableFuture<Boolean> asked = new CompletableFuture<>();
        try (GuestStream server = dialer.dial(DialRequest.port(port), deadline)) {
            // Reads know no deadline: they end with the stream.
            var _ = asked.orTimeout(deadline.remainingNanos(), TimeUnit.NANOSECONDS)
                    .whenComplete((_, _) -> server.abort());
            server.write(ByteBuffer.wrap(request().getBytes(StandardCharsets.US_ASCII)));
            return ofAnswer(head(server));
        } catch (GuestException.ConnectionRefused refused) {
            return Optional.of("no program listens on port " + port + " of its guest");
        } catch (IOException | VmException.Deadline none) {
            return ofAnswer("");
        } finally {
            asked.complete(true);
        }
    }

    private Optional<String> ofAnswer(String head) {
        Matcher answer = STATUS.matcher(head);
        if (!answer.matches()) {
            return Optional.of("no whole answer of HTTP comes from port " + port + " of its guest");
        }
        String status = answer.group(1);
        return status.startsWith("2") || status.startsWith("3")
                ? Optional.empty()
                : Optional.of(
                        "port " + port + " of its guest answers GET " + Printable.brief(path) + " with " + status);
    }

    private String request() {
        return "GET " + path + " HTTP/1.1\r\nHost: localhost:" + port
                + "\r\nUser-Agent: cloche\r\nAccept: */*\r\nConnection: close\r\n\r\n";
    }

    /** Returns nothing if it is not whole, or too long. Looks at each byte once, however few come at a time. */
    private static String head(GuestStream server) throws IOException {
        ByteBuffer head = ByteBuffer.allocate(MOST_HEAD);
        int looked = 0;
        while (head.hasRemaining() && server.read(head) >= 0) {
            for (; looked + END.length <= head.position(); looked++) {
                if (Arrays.equals(head.array(), looked, looked + END.length, END, 0, END.length)) {
                    return new String(head.array(), 0, head.position(), StandardCharsets.ISO_8859_1);
                }
            }
        }
        return "";
    }
}
