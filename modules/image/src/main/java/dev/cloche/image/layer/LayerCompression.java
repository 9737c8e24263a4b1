package dev.cloche.image.layer;

import com.github.luben.zstd.ZstdInputStreamNoFinalizer;
import dev.cloche.linux.FastGunzip;
import dev.cloche.linux.FastSha256;
import dev.cloche.linux.NativeLibrary;
import java.io.IOException;
import java.io.InputStream;
import java.io.PushbackInputStream;
import java.util.Set;
import java.util.zip.GZIPInputStream;

/**
 * Undoes a layer's compression. What it is shows in its first bytes: media types are often wrong about it, and the diff
 * id tells whether the result is right.
 */
public final class LayerCompression {
    private static final Set<String> LAYERS = Set.of(
            "application/vnd.oci.image.layer.v1.tar",
            "application/vnd.oci.image.layer.v1.tar+gzip",
            "application/vnd.oci.image.layer.v1.tar+zstd",
            "application/vnd.oci.image.layer.nondistributable.v1.tar",
            "application/vnd.oci.image.layer.nondistributable.v1.tar+gzip",
            "application/vnd.oci.image.layer.nondistributable.v1.tar+zstd",
            "application/vnd.docker.image.rootfs.diff.tar",
            "application/vnd.docker.image.rootfs.diff.tar.gzip",
            "application/vnd.docker.image.rootfs.diff.tar.zstd",
            "application/vnd.docker.image.rootfs.foreign.diff.tar.gzip");

    private static final int BUFFER = 1 << 16;
    private static final int MAGIC = 4;

    private LayerCompression() {}

    /**
     * Loads the host's libraries for layers in the background, on behalf of a later pull of one: in a new JVM that takes
     * some tens of milliseconds, in which a registry is asked what the layers are.
     */
    public static void prepare() {
        Thread.ofPlatform().daemon().name("cloche-libraries").start(() -> {
            var _ = FastSha256.installed();
            var _ = FastGunzip.installed();
        });
    }

    /** Returns whether this is an archive of files; images may also carry layers that are encrypted or no file systems. */
    public static boolean isLayer(String mediaType) {
        return LAYERS.contains(mediaType);
    }

    public static InputStream open(InputStream blob) throws IOException {
        PushbackInputStream source = new PushbackInputStream(blob, MAGIC);
        byte[] magic = source.readNBytes(MAGIC);
        source.unread(magic);
        return switch (suffixOf(magic)) {
            case "+gzip" ->
                FastGunzip.installed() ? FastGunzip.of(source) : new GZIPInputStream(new Members(source), BUFFER);
            case "+zstd" -> NativeLibrary.use("zstd", () -> new ZstdInputStreamNoFinalizer(source));
            default -> source;
        };
    }

    /** Returns what media types have at their end for content that begins like this; nothing if it is not compressed. */
    public static String suffixOf(byte[] magic) {
        if (magic.length >= 2 && magic[0] == 0x1f && magic[1] == (byte) 0x8b) {
            return "+gzip";
        }
        // RFC 8878: 0xFD2FB528, little-endian.
        if (magic.length >= MAGIC
                && magic[0] == 0x28
                && magic[1] == (byte) 0xb5
                && magic[2] == 0x2f
                && magic[3] == (byte) 0xfd) {
            return "+zstd";
        }
        // A skippable frame, in which some compressors keep books, has one of sixteen numbers: 0x184D2A50 and on.
        if (magic.length >= MAGIC
                && (magic[0] & 0xf0) == 0x50
                && magic[1] == 0x2a
                && magic[2] == 0x4d
                && magic[3] == 0x18) {
            return "+zstd";
        }
        return "";
    }

    /**
     * Lets the JDK see every member of a gzip file: between members it looks at {@code available()}, and would take a
     * slow network for the end of the file. Parallel and seekable compressors write many members.
     */
    private static final class Members extends PushbackInputStream {
        Members(InputStream in) {
            super(in, 1);
        }

        @Override
        public int available() throws IOException {
            int next = read();
            if (next < 0) {
                return 0;
            }
            unread(next);
            return Math.max(1, super.available());
        }
    }
}
