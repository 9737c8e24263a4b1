package dev.cloche.image;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * A registry on the loopback interface whose answers are written byte by byte, so that they can be wrong in ways that an
 * HTTP server does not allow. One request a connection. What no fault stands for is answered as it should be.
 */
public final class RawRegistry implements AutoCloseable {
    /** Writes an answer, head and all; the connection is closed after it. */
    @FunctionalInterface
    public interface Fault {
        /**
         * Writes an answer.
         *
         * @param from first byte that was asked for
         */
        void answer(OutputStream out, byte[] content, int from) throws IOException, InterruptedException;
    }

    private final ServerSocket server;
    private final Map<String, byte[]> content = new ConcurrentHashMap<>();
    private final Map<String, Fault> faults = new ConcurrentHashMap<>();
    private final List<String> requests = new CopyOnWriteArrayList<>();
    private final List<String> authorizations = new CopyOnWriteArrayList<>();
    private final List<Socket> open = new CopyOnWriteArrayList<>();

    public RawRegistry() throws IOException {
        server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        Thread.ofVirtual().start(this::accept);
    }

    public String name() {
        return "127.0.0.1:" + server.getLocalPort();
    }

    /** Serves the image as {@code app:1}. */
    public ImageReference serve(TestImage image) {
        content.put("/v2/app/manifests/1", image.manifestDocument());
        image.blobs().forEach((digest, blob) -> content.put("/v2/app/blobs/" + digest, blob));
        return ImageReference.parse(name() + "/app:1");
    }

    /** Answers requests whose path ends so by {@code fault}. */
    public void fault(String end, Fault fault) {
        faults.put(end, fault);
    }

    /** The paths that were asked for, in order. */
    public List<String> requests(String part) {
        return requests.stream().filter(path -> path.contains(part)).toList();
    }

    /** The Authorization headers that came. */
    public List<String> authorizations() {
        return List.copyOf(authorizations);
    }

    /** A head with these lines, each ended properly. */
    public static byte[] head(String... lines) {
        return (String.join("\r\n", lines) + "\r\n\r\n").getBytes(StandardCharsets.ISO_8859_1);
    }

    /** The right answer. */
    public static void properly(OutputStream out, byte[] content, int from) throws IOException {
        if (from > 0) {
            out.write(head(
                    "HTTP/1.1 206 Partial Content",
                    "Content-Length: " + (content.length - from),
                    "Content-Range: bytes " + from + "-" + (content.length - 1) + "/" + content.length));
        } else {
            out.write(head("HTTP/1.1 200 OK", "Content-Length: " + content.length));
        }
        out.write(content, from, content.length - from);
    }

    private void accept() {
        while (!server.isClosed()) {
            try {
                Socket socket = server.accept();
                open.add(socket);
                Thread.ofVirtual().start(() -> serve(socket));
            } catch (IOException closed) {
                return;
            }
        }
    }

    private void serve(Socket socket) {
        try (socket) {
            BufferedReader in =
                    new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.ISO_8859_1));
            String first = in.readLine();
            if (first == null) {
                return;
            }
            Map<String, String> headers = new HashMap<>();
            for (String line = in.readLine(); line != null && !line.isEmpty(); line = in.readLine()) {
                int colon = line.indexOf(':');
                headers.put(
                        line.substring(0, colon).toLowerCase(Locale.ROOT),
                        line.substring(colon + 1).strip());
            }
            String path = first.split(" ", 3)[1];
            requests.add(path);
            Optional.ofNullable(headers.get("authorization")).ifPresent(authorizations::add);
            int from = Optional.ofNullable(headers.get("range"))
                    .map(range -> Integer.parseInt(range.replaceAll("\\D", "")))
                    .orElse(0);
            answer(socket.getOutputStream(), path, from);
        } catch (IOException left) {
            // The client has had enough.
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void answer(OutputStream out, String path, int from) throws IOException, InterruptedException {
        byte[] found = content.getOrDefault(path, new byte[0]);
        Optional<Fault> fault = faults.entrySet().stream()
                .filter(f -> path.endsWith(f.getKey()))
                .map(Map.Entry::getValue)
                .findFirst();
        if (fault.isPresent()) {
            fault.get().answer(out, found, from);
        } else if (!content.containsKey(path)) {
            out.write(head("HTTP/1.1 404 Not Found", "Content-Length: 0"));
        } else {
            properly(out, found, from);
        }
        out.flush();
    }

    @Override
    public void close() throws IOException {
        server.close();
        for (Socket socket : open) {
            socket.close();
        }
    }
}
