package dev.cloche.image;

import com.github.luben.zstd.ZstdOutputStreamNoFinalizer;
import dev.cloche.image.manifest.ManifestDocument;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.zip.GZIPOutputStream;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveOutputStream;

/**
 * A small image made in memory, to be served by a registry of the tests or written as an OCI layout. Give it layers from
 * bottom to top, then ask for its documents.
 */
public final class TestImage {
    /** How a layer is compressed. */
    public enum Compression {
        GZIP("+gzip"),
        ZSTD("+zstd"),
        NONE("");

        private final String suffix;

        Compression(String suffix) {
            this.suffix = suffix;
        }
    }

    private static final class Layer {
        private final String mediaType;
        private final byte[] tar;
        private final byte[] blob;

        Layer(String mediaType, byte[] tar, byte[] blob) {
            this.mediaType = mediaType;
            this.tar = tar;
            this.blob = blob;
        }
    }

    private final List<Layer> layers = new ArrayList<>();
    private String architecture = Platform.host().architecture();
    private String config = "\"Env\":[\"PATH=/bin\",\"LANG=C.UTF-8\"],\"Cmd\":[\"/bin/sh\"],\"WorkingDir\":\"/work\","
            + "\"User\":\"1000\",\"Labels\":{\"purpose\":\"test\"},\"StopSignal\":\"SIGINT\"";

    /** Adds a layer of regular files, by path. */
    public TestImage layer(Compression compression, Map<String, String> files) {
        return layer(compression, tar(files));
    }

    /** Adds a layer of these bytes. */
    public TestImage layer(Compression compression, byte[] tar) {
        String type = "application/vnd.oci.image.layer.v1.tar" + compression.suffix;
        layers.add(new Layer(type, tar, compress(compression, tar)));
        return this;
    }

    /** Says what the image is built for. */
    public TestImage architecture(String name) {
        architecture = name;
        return this;
    }

    /** Replaces the inside of the config's {@code config} object. */
    public TestImage config(String json) {
        config = json;
        return this;
    }

    /** Adds a layer whose archive and blob have nothing to do with each other. */
    public TestImage dishonestLayer(byte[] declaredTar, byte[] blob) {
        layers.add(new Layer("application/vnd.oci.image.layer.v1.tar+gzip", declaredTar, blob));
        return this;
    }

    public byte[] configDocument() {
        String diffIds =
                layers.stream().map(l -> "\"" + Digest.of(l.tar) + "\"").collect(Collectors.joining(","));
        return utf8("{\"os\":\"linux\",\"architecture\":\"" + architecture + "\",\"config\":{" + config
                + "},\"rootfs\":{\"type\":\"layers\",\"diff_ids\":[" + diffIds + "]}}");
    }

    public byte[] manifestDocument() {
        return utf8("{\"schemaVersion\":2,\"mediaType\":\"" + ManifestDocument.OCI_MANIFEST + "\",\"config\":"
                + descriptor("application/vnd.oci.image.config.v1+json", configDocument(), "") + ",\"layers\":["
                + layers.stream().map(l -> descriptor(l.mediaType, l.blob, "")).collect(Collectors.joining(","))
                + "]}");
    }

    /** The entry of an index for this image. */
    public String indexEntry(String more) {
        return descriptor(ManifestDocument.OCI_MANIFEST, manifestDocument(), more);
    }

    public Digest manifestDigest() {
        return Digest.of(manifestDocument());
    }

    public Digest blobDigest(int layer) {
        return Digest.of(layers.get(layer).blob);
    }

    public byte[] blob(int layer) {
        return layers.get(layer).blob.clone();
    }

    public Digest diffId(int layer) {
        return Digest.of(layers.get(layer).tar);
    }

    /** Config and layers, by digest. */
    public Map<Digest, byte[]> blobs() {
        Map<Digest, byte[]> blobs = new LinkedHashMap<>();
        blobs.put(Digest.of(configDocument()), configDocument());
        layers.forEach(l -> blobs.put(Digest.of(l.blob), l.blob));
        return blobs;
    }

    /** Writes the image, under a name, as the only one of an OCI layout. */
    public Path writeLayout(Path directory, String name) throws IOException {
        Path blobs = Files.createDirectories(directory.resolve("blobs/sha256"));
        for (Map.Entry<Digest, byte[]> blob : blobs().entrySet()) {
            Files.write(blobs.resolve(blob.getKey().hex()), blob.getValue());
        }
        Files.write(blobs.resolve(manifestDigest().hex()), manifestDocument());
        Files.writeString(directory.resolve("oci-layout"), "{\"imageLayoutVersion\":\"1.0.0\"}");
        String annotation = ",\"annotations\":{\"org.opencontainers.image.ref.name\":\"" + name + "\"}";
        Files.write(directory.resolve("index.json"), index(List.of(indexEntry(annotation))));
        return directory;
    }

    public static byte[] index(List<String> entries) {
        return utf8("{\"schemaVersion\":2,\"mediaType\":\"" + ManifestDocument.OCI_INDEX + "\",\"manifests\":["
                + String.join(",", entries) + "]}");
    }

    public static byte[] tar(Map<String, String> files) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (TarArchiveOutputStream tar = new TarArchiveOutputStream(bytes)) {
            for (Map.Entry<String, String> file : files.entrySet()) {
                byte[] content = utf8(file.getValue());
                TarArchiveEntry entry = new TarArchiveEntry(file.getKey());
                entry.setSize(content.length);
                entry.setModTime(0);
                tar.putArchiveEntry(entry);
                tar.write(content);
                tar.closeArchiveEntry();
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return bytes.toByteArray();
    }

    public static byte[] compress(Compression compression, byte[] content) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (OutputStream out = switch (compression) {
            case GZIP -> new GZIPOutputStream(bytes);
            case ZSTD -> new ZstdOutputStreamNoFinalizer(bytes);
            case NONE -> bytes;
        }) {
            out.write(content);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return bytes.toByteArray();
    }

    private static String descriptor(String mediaType, byte[] content, String more) {
        return "{\"mediaType\":\"" + mediaType + "\",\"digest\":\"" + Digest.of(content) + "\",\"size\":"
                + content.length + more + "}";
    }

    private static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    /** Text that hardly compresses, the same each time. */
    static String noise(int length) {
        StringBuilder text = new StringBuilder(length);
        new Random(42).ints(length, ' ', '~').forEach(c -> text.append((char) c));
        return text.toString();
    }
}
