package dev.cloche.image;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** A registry on the loopback interface that serves images, and misbehaves where a test tells it to. */
final class ScriptedRegistry implements AutoCloseable {
    /** Answers a request; false to let the registry answer as usual. */
    @FunctionalInterface
    interface Script {
        boolean answer(HttpExchange exchange) throws IOException;
    }

    record Request(String path, Optional<String> query, Optional<String> authorization, Optional<String> range) {}

    private final HttpServer server;
    private final ExecutorService workers = Executors.newVirtualThreadPerTaskExecutor();
    private final Map<String, byte[]> content = new ConcurrentHashMap<>();
    private final List<Request> requests = new CopyOnWriteArrayList<>();
    private final Socket closedPort = new Socket();
    private volatile Script script = exchange -> false;

    ScriptedRegistry() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setExecutor(workers);
        server.createContext("/", this::handle);
        server.start();
    }

    String name() {
        return "127.0.0.1:" + server.getAddress().getPort();
    }

    /** Serves the image under this tag and by its digest. */
    ImageReference serve(String repository, String tag, TestImage image) {
        document(repository, tag, image.manifestDocument());
        image.blobs().forEach((digest, blob) -> content.put("/v2/" + repository + "/blobs/" + digest, blob));
        return ImageReference.parse(name() + "/" + repository + ":" + tag);
    }

    /** Serves a manifest or index under this tag and by its digest. */
    ImageReference document(String repository, String tag, byte[] document) {
        content.put("/v2/" + repository + "/manifests/" + tag, document);
        content.put("/v2/" + repository + "/manifests/" + Digest.of(document), document);
        return ImageReference.parse(name() + "/" + repository + ":" + tag);
    }

    void put(String path, byte[] bytes) {
        content.put(path, bytes);
    }

    void script(Script next) {
        script = next;
    }

    List<Request> requests() {
        return List.copyOf(requests);
    }

    List<Request> requests(String part) {
        return requests.stream().filter(r -> r.path().contains(part)).toList();
    }

    static void status(HttpExchange exchange, int status) throws IOException {
        exchange.sendResponseHeaders(status, -1);
    }

    static void body(HttpExchange exchange, byte[] bytes) throws IOException {
        exchange.sendResponseHeaders(200, bytes.length);
        exchange.getResponseBody().write(bytes);
    }

    /** Promises all the bytes, sends some, and hangs up. */
    static void cut(HttpExchange exchange, byte[] bytes, int sent) throws IOException {
        cut(exchange, bytes, sent, () -> {});
    }

    /** Like {@link #cut(HttpExchange, byte[], int)}, after {@code waiting}: what was not read yet is lost with the connection. */
    static void cut(HttpExchange exchange, byte[] bytes, int sent, Runnable waiting) throws IOException {
        exchange.sendResponseHeaders(200, bytes.length);
        exchange.getResponseBody().write(bytes, 0, sent);
        exchange.getResponseBody().flush();
        waiting.run();
        throw new IOException("hang up");
    }

    private void handle(HttpExchange exchange) throws IOException {
        try (exchange) {
            String path = exchange.getRequestURI().getPath();
            requests.add(new Request(
                    path,
                    Optional.ofNullable(exchange.getRequestURI().getQuery()),
                    Optional.ofNullable(exchange.getRequestHeaders().getFirst("Authorization")),
                    Optional.ofNullable(exchange.getRequestHeaders().getFirst("Range"))));
            if (script.answer(exchange)) {
                return;
            }
            byte[] found = content.get(path);
            if (found == null) {
                status(exchange, 404);
                return;
            }
            String range = exchange.getRequestHeaders().getFirst("Range");
            if (range == null) {
                body(exchange, found);
                return;
            }
            int from = Integer.parseInt(range.replaceAll("bytes=([0-9]+)-", "$1"));
            exchange.getResponseHeaders()
                    .add("Content-Range", "bytes " + from + "-" + (found.length - 1) + "/" + found.length);
            exchange.sendResponseHeaders(206, found.length - from);
            exchange.getResponseBody().write(found, from, found.length - from);
        }
    }

    /** As if it were not reachable: it refuses connections, and keeps its port, so that no other server can accept them. */
    void vanish() throws IOException {
        server.stop(0);
        closedPort.setReuseAddress(true);
        closedPort.bind(server.getAddress());
    }

    @Override
    public void close() {
        server.stop(0);
        try {
            closedPort.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        workers.shutdownNow();
    }
}
