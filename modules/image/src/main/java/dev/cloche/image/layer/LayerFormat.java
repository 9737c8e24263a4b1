package dev.cloche.image.layer;

import dev.cloche.erofs.Bytes;
import dev.cloche.erofs.ErofsWriter;
import dev.cloche.erofs.Inode;
import dev.cloche.erofs.SpecialFile;
import java.io.IOException;
import java.nio.file.Path;

/**
 * How a layer's EROFS says what only has a meaning for the layers below it.
 *
 * <ul>
 *   <li>A removed file is a character device 0:0, as in overlayfs.
 *   <li>A directory that hides the one below has {@code trusted.overlay.opaque=y}, as in overlayfs.
 *   <li>A directory that the archive did not name, but only used, has {@code trusted.cloche.implied=y}: it has no
 *       attributes of its own, and takes those of the directory below.
 *   <li>A hard link to a file of a lower layer is an empty file with {@code trusted.cloche.link}, the path of the target
 *       without leading slash.
 * </ul>
 *
 * <p>Attributes in these two name spaces are never taken from an archive, and never reach the merged image.
 */
public final class LayerFormat {
    /** To be raised with every change of what {@link LayerConverter} writes for the same archive. */
    public static final int VERSION = 1;

    /** What makes names of files that have this form, or depend on it. */
    public static final String SUFFIX = ".v" + VERSION;

    static final Bytes OPAQUE = Bytes.utf8("trusted.overlay.opaque");
    static final Bytes IMPLIED = Bytes.utf8("trusted.cloche.implied");
    static final Bytes LINK = Bytes.utf8("trusted.cloche.link");
    static final Bytes YES = Bytes.utf8("y");

    private static final Bytes OVERLAY_SPACE = Bytes.utf8("trusted.overlay.");
    private static final Bytes CLOCHE_SPACE = Bytes.utf8("trusted.cloche.");

    private LayerFormat() {}

    /**
     * Returns what a layer's image is now. Its digest has the first block last: that is the order in which an image is
     * written, and so its writer knows the digest without reading anything again.
     */
    public static FileFingerprint read(Path erofs) throws IOException {
        return FilePublication.read(erofs, ErofsWriter.BLOCK_BYTES);
    }

    /** Returns whether the attribute is one of ours or of overlayfs, and so no part of the image. */
    static boolean reserved(Bytes xattr) {
        return xattr.startsWith(OVERLAY_SPACE) || xattr.startsWith(CLOCHE_SPACE);
    }

    static boolean whiteout(Inode inode) {
        return inode instanceof SpecialFile special
                && special.kind() == SpecialFile.Kind.CHARACTER_DEVICE
                && special.major() == 0
                && special.minor() == 0;
    }

    static boolean opaque(Inode directory) {
        return directory.attributes().xattrs().get(OPAQUE) != null;
    }

    static boolean implied(Inode directory) {
        return directory.attributes().xattrs().get(IMPLIED) != null;
    }
}
