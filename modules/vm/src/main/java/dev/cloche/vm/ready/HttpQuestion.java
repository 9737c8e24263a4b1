package dev.cloche.vm.ready;

import dev.cloche.base.Deadline;
import dev.cloche.vm.DialRequest;
import dev.cloche.vm.GuestException;
import dev.cloche.vm.GuestStream;
import dev.cloche.vm.VmException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;

/**
 * Asks a server in a guest for a page, through the guest's agent. Reads the head of the answer only. The JDK's client opens its
 * connections itself, and cannot be given one.
 */
public final class HttpQuestion {
    private static final int MOST_HEAD = 64 * 1024;
    private static final byte[] END = {'\r', '\n', '\r', '\n'};
    private static final Pattern GOOD = Pattern.compile("HTTP/1\\.[01] [23][0-9][0-9][ \r].*", Pattern.DOTALL);

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
     * @param path as a URI has it, from its {@code /} on
     */
    public HttpQuestion(Dialer dialer, int port, String path) {
        this.dialer = dialer;
        this.port = port;
        this.path = path;
    }

    /** Returns whether the whole head of an answer comes in time, with a status from 200 to 399. */
    public boolean isAnsweredWell(Deadline deadline) {
        CompletableFuture<Boolean> asked = new CompletableFuture<>();
        try (GuestStream server = dialer.dial(DialRequest.port(port), deadline)) {
            // Reads know no deadline: they end with the stream.
            var _ = asked.orTimeout(deadline.remainingNanos(), TimeUnit.NANOSECONDS)
                    .whenComplete((_, _) -> server.abort());
            server.write(ByteBuffer.wrap(request().getBytes(StandardCharsets.US_ASCII)));
            return GOOD.matcher(head(server)).matches();
        } catch (IOException | GuestException.ConnectionRefused | VmException.Deadline notYet) {
            return false;
        } finally {
            asked.complete(true);
        }
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
