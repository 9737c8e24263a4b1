package dev.cloche.image.transfer;

import dev.cloche.image.manifest.Descriptor;
import java.util.List;

/**
 * Describes one image of an archive.
 *
 * @param manifest its manifest or index
 * @param names what the archive calls it, as they stand there
 */
record ArchivedImage(Descriptor manifest, List<String> names) {}
