package dev.cloche.image.transfer;

import dev.cloche.image.CorruptArchiveException;
import dev.cloche.image.Digest;
import dev.cloche.image.ImageException;
import dev.cloche.image.PullFailed;
import dev.cloche.image.layer.DigestingStream;
import dev.cloche.image.manifest.Descriptor;
import dev.cloche.image.manifest.ImageSource;
import java.io.IOException;

/**
 * Checks the two digests of a layer that was read: the one of its blob, which the manifest names, and the one of the tar in
 * it, which the configuration names.
 */
record LayerDigestCheck(ImageSource source, Descriptor blob, Digest diffId) {
    /**
     * Reads the blob to its end and compares both digests.
     *
     * @param tar the digest of the tar
     * @throws PullFailed if one is not as promised
     */
    void verify(DigestingStream compressed, Digest tar) throws IOException {
        verifyBlob(compressed);
        if (!tar.equals(diffId)) {
            throw ImageResolver.mismatch(source, "uncompressed layer", diffId, tar);
        }
    }

    /** Returns the cause of damage: a blob that is not the right one explains everything else that is wrong with it. */
    ImageException explain(DigestingStream compressed, CorruptArchiveException damage) throws IOException {
        try {
            verifyBlob(compressed);
            return damage;
        } catch (PullFailed wrongBlob) {
            wrongBlob.addSuppressed(damage);
            return wrongBlob;
        }
    }

    private void verifyBlob(DigestingStream compressed) throws IOException {
        Digest found = compressed.digestOfAll();
        if (!found.equals(blob.digest())) {
            throw ImageResolver.mismatch(source, "layer", blob.digest(), found);
        }
    }
}
