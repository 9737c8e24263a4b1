package dev.cloche.image;

import java.util.List;

/**
 * Says what a prune has really removed.
 *
 * @param references names, in the order in which they went
 * @param manifests images
 * @param layers files of layers
 * @param fsmetas files of merged metadata
 * @param vmdks descriptors
 * @param bytes length of all deleted files, with those that had no row
 */
public record ImagePruneReport(
        List<ImageReference> references, int manifests, int layers, int fsmetas, int vmdks, long bytes) {
    public ImagePruneReport {
        references = List.copyOf(references);
    }
}
