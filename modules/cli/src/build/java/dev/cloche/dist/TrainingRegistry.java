package dev.cloche.dist;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.Map;
import java.util.zip.GZIPOutputStream;

/**
 * A registry with one image of one small layer, from which the training run pulls, so that the cache knows the whole way
 * of a pull. It is served by the build's own process: what serves must not get into the cache.
 */
final class TrainingRegistry implements AutoCloseable {
    private static final String NAME = "/v2/training/";
    private static final int BLOCK = 512;

    private final Map<String, byte[]> answers = new HashMap<>();
    private final Map<String, String> types = new HashMap<>();
    private final HttpServer server;

    private TrainingRegistry(HttpServer server) {
        this.server = server;
    }

    static TrainingRegistry start() throws IOException {
        TrainingRegistry registry =
                new TrainingRegistry(HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0));
        registry.serveImage();
        registry.server.createContext("/", registry::answer);
        registry.server.start();
        return registry;
    }

    /** Returns the image to pull. */
    String image() {
        return "127.0.0.1:" + server.getAddress().getPort() + "/training";
    }

    private void serveImage() throws IOException {
        byte[] tar = archive();
        String layer = blob(gzip(tar));
        byte[] config = """
                {"architecture":"amd64","os":"linux","config":{"Cmd":["sh"],"Env":["PATH=/bin"]},\
                "rootfs":{"type":"layers","diff_ids":["%s"]}}""".formatted(digest(tar)).getBytes(StandardCharsets.UTF_8);
        String media = "application/vnd.oci.image.manifest.v1+json";
        byte[] manifest = """
                {"schemaVersion":2,"mediaType":"%s",\
                "config":{"mediaType":"application/vnd.oci.image.config.v1+json","digest":"%s","size":%d},\
                "layers":[{"mediaType":"application/vnd.oci.image.layer.v1.tar+gzip","digest":"%s","size":%d}]}""".formatted(media, blob(config), config.length, layer, size(layer))
                .getBytes(StandardCharsets.UTF_8);
        for (String path : new String[] {NAME + "manifests/latest", NAME + "manifests/" + digest(manifest)}) {
            answers.put(path, manifest);
            types.put(path, media);
        }
    }

    private String blob(byte[] content) {
        String digest = digest(content);
        answers.put(NAME + "blobs/" + digest, content);
        return digest;
    }

    private int size(String blob) {
        return answers.get(NAME + "blobs/" + blob).length;
    }

    private void answer(HttpExchange exchange) throws IOException {
        String path = exchange.getRequestURI().getPath();
        byte[] content = answers.get(path);
        try (exchange) {
            if (content == null) {
                exchange.sendResponseHeaders(404, -1);
                return;
            }
            exchange.getResponseHeaders().set("Content-Type", types.getOrDefault(path, "application/octet-stream"));
            exchange.sendResponseHeaders(200, content.length);
            exchange.getResponseBody().write(content);
        }
    }

    /** A directory, files of several sizes and a symbolic link, in the format ustar. */
    private static byte[] archive() {
        ByteArrayOutputStream tar = new ByteArrayOutputStream();
        entry(tar, "bin/", '5', "", new byte[0]);
        for (int i = 0; i < 200; i++) {
            byte[] content = new byte[i * i * 13];
            Arrays.fill(content, (byte) i);
            entry(tar, "bin/file" + i, '0', "", content);
        }
        entry(tar, "bin/sh", '2', "file1", new byte[0]);
        tar.writeBytes(new byte[2 * BLOCK]);
        return tar.toByteArray();
    }

    private static void entry(ByteArrayOutputStream tar, String name, char type, String link, byte[] content) {
        byte[] header = new byte[BLOCK];
        put(header, 0, name);
        put(
                header,
                100,
                "0000755\0" + "0000000\0" + "0000000\0" + "%011o\0".formatted(content.length) + "00000000000\0"
                        + "        " + type + link);
        put(header, 257, "ustar\00000");
        int sum = 0;
        for (byte value : header) {
            sum += value & 0xff;
        }
        put(header, 148, "%06o\0 ".formatted(sum));
        tar.writeBytes(header);
        tar.writeBytes(content);
        tar.writeBytes(new byte[-content.length & (BLOCK - 1)]);
    }

    private static void put(byte[] header, int offset, String text) {
        byte[] bytes = text.getBytes(StandardCharsets.US_ASCII);
        System.arraycopy(bytes, 0, header, offset, bytes.length);
    }

    private static byte[] gzip(byte[] content) throws IOException {
        ByteArrayOutputStream compressed = new ByteArrayOutputStream();
        try (GZIPOutputStream gzip = new GZIPOutputStream(compressed)) {
            gzip.write(content);
        }
        return compressed.toByteArray();
    }

    private static String digest(byte[] content) {
        try {
            return "sha256:"
                    + HexFormat.of()
                            .formatHex(MessageDigest.getInstance("SHA-256").digest(content));
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError("every JDK has SHA-256", e);
        }
    }

    @Override
    public void close() {
        server.stop(0);
    }
}
