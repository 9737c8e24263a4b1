package dev.cloche;

import dev.cloche.image.ImagePruneReport;
import dev.cloche.image.ImageReference;
import java.util.List;

/**
 * What was removed, or would be.
 *
 * <pre>{@code
 * PruneResult result = cloche.images().prune(Duration.ZERO);
 * System.out.println(result.references() + ", " + result.bytes() + " bytes");
 * }</pre>
 *
 * @param references names, in the order in which they went
 * @param manifests images
 * @param layers files of layers
 * @param fsmetas files of merged metadata
 * @param vmdks disk descriptors
 * @param bytes length of all deleted files, with those that belonged to no image
 */
public record PruneResult(List<String> references, int manifests, int layers, int fsmetas, int vmdks, long bytes) {
    /** Copies the list. */
    public PruneResult {
        references = List.copyOf(references);
    }

    static PruneResult of(ImagePruneReport report) {
        return new PruneResult(
                report.references().stream().map(ImageReference::toString).toList(),
                report.manifests(),
                report.layers(),
                report.fsmetas(),
                report.vmdks(),
                report.bytes());
    }
}
