package dev.cloche.image.transfer;

import dev.cloche.base.JsonValue;
import dev.cloche.image.Digest;
import dev.cloche.image.ImageLimits;
import dev.cloche.image.LoadFailed;
import dev.cloche.image.layer.DigestingStream;
import dev.cloche.image.layer.LayerCompression;
import dev.cloche.image.manifest.ConfigDocument;
import dev.cloche.image.manifest.Descriptor;
import dev.cloche.image.manifest.JsonText;
import dev.cloche.image.manifest.ManifestDocument;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.NoSuchFileException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * Reads what {@code docker save} writes as a layout. Its {@code manifest.json} has no digests, so a manifest is made for
 * each image: OCI, with the layers as they are in the archive. The same archive gives the same manifest.
 *
 * <p>The format is that of the Docker image specification 1.2 ("Combined Image JSON + Filesystem Changeset Format").
 */
final class DockerArchive implements LayoutFiles {
    static final String INDEX = "manifest.json";

    private static final String CONFIG_TYPE = "application/vnd.oci.image.config.v1+json";
    private static final String LAYER_TYPE = "application/vnd.oci.image.layer.v1.tar";
    private static final int PEEK = 4;

    private final TarLayout archive;
    private final ImageLimits limits;
    private final Map<Digest, String> paths = new HashMap<>();
    private final Map<String, Digest> hashed = new HashMap<>();
    private final Map<Digest, byte[]> documents = new HashMap<>();

    private DockerArchive(TarLayout archive, ImageLimits limits) {
        this.archive = archive;
        this.limits = limits;
    }

    /** Describes the archive as a layout, and its images. */
    record Opened(DockerArchive files, List<ArchivedImage> images) {}

    static Opened read(TarLayout archive, ImageLimits limits) throws IOException {
        DockerArchive files = new DockerArchive(archive, limits);
        List<ArchivedImage> images = new ArrayList<>();
        try {
            byte[] index = archive.read(INDEX, limits.documentBytes());
            // The document is a list; ours are objects.
            JsonValue.Fields whole = JsonValue.parse(("{\"images\":" + new String(index, StandardCharsets.UTF_8) + "}")
                    .getBytes(StandardCharsets.UTF_8));
            for (JsonValue image : whole.items("images").orElse(List.of())) {
                if (!(image instanceof JsonValue.Fields fields)) {
                    throw new JsonValue.Malformed("an entry of its manifest.json is no object");
                }
                images.add(files.image(fields));
            }
        } catch (JsonValue.Malformed e) {
            throw new LoadFailed(archive.name(), e.getMessage() == null ? "it is malformed" : e.getMessage(), e);
        } catch (NoSuchFileException e) {
            throw new LoadFailed(archive.name(), "it names the file " + e.getFile() + " and does not have it", e);
        }
        return new Opened(files, List.copyOf(images));
    }

    @Override
    public String name() {
        return archive.name();
    }

    @Override
    public InputStream open(String path) throws IOException {
        Digest digest = new Digest(path.substring(path.lastIndexOf('/') + 1));
        byte[] document = documents.get(digest);
        if (document != null) {
            return new ByteArrayInputStream(document);
        }
        String place = paths.get(digest);
        if (place == null) {
            throw new NoSuchFileException(path);
        }
        return archive.open(place);
    }

    private ArchivedImage image(JsonValue.Fields fields) throws IOException, JsonValue.Malformed {
        String configPath = fields.text("Config").orElse("");
        byte[] config = archive.read(configPath, limits.documentBytes());
        if (config.length > limits.documentBytes()) {
            throw new JsonValue.Malformed("its config is longer than " + limits.documentBytes() + " bytes");
        }
        documents.put(Digest.of(config), config);
        List<Digest> diffIds = ConfigDocument.read(config).diffIds();
        List<String> layers = texts(fields, "Layers");
        if (layers.size() != diffIds.size() || layers.size() > limits.layers()) {
            throw new JsonValue.Malformed(
                    "its config names " + diffIds.size() + " layers, its manifest " + layers.size());
        }
        List<Map<String, Object>> descriptors = new ArrayList<>();
        for (int i = 0; i < layers.size(); i++) {
            descriptors.add(layer(layers.get(i), diffIds.get(i)));
        }
        Map<String, Object> manifest = new LinkedHashMap<>();
        manifest.put("schemaVersion", 2L);
        manifest.put("mediaType", ManifestDocument.OCI_MANIFEST);
        manifest.put("config", JsonText.descriptor(CONFIG_TYPE, Digest.of(config), config.length));
        manifest.put("layers", descriptors);
        byte[] document = JsonText.document(manifest);
        documents.put(Digest.of(document), document);
        return new ArchivedImage(
                Descriptor.of(ManifestDocument.OCI_MANIFEST, Digest.of(document), document.length),
                texts(fields, "RepoTags"));
    }

    /** A plain layer is what its diff id says, which is proven when it is read; only a compressed one has to be hashed. */
    private Map<String, Object> layer(String path, Digest diffId) throws IOException {
        byte[] magic;
        try (InputStream in = archive.open(path)) {
            magic = in.readNBytes(PEEK);
        }
        String suffix = LayerCompression.suffixOf(magic);
        Digest digest = diffId;
        if (!suffix.isEmpty()) {
            digest = hashed.containsKey(path) ? Objects.requireNonNull(hashed.get(path)) : hash(path);
        }
        paths.put(digest, path);
        return JsonText.descriptor(LAYER_TYPE + suffix, digest, archive.length(path));
    }

    /** Once, however many images have it. */
    private Digest hash(String path) throws IOException {
        try (DigestingStream blob = new DigestingStream(archive.open(path), _ -> {})) {
            Digest digest = blob.digestOfAll();
            hashed.put(path, digest);
            return digest;
        }
    }

    private static List<String> texts(JsonValue.Fields fields, String name) throws JsonValue.Malformed {
        List<String> texts = new ArrayList<>();
        for (JsonValue item : fields.items(name).orElse(List.of())) {
            if (!(item instanceof JsonValue.Text(String text))) {
                throw new JsonValue.Malformed("its " + name + " are no list of texts");
            }
            texts.add(text);
        }
        return texts;
    }
}
