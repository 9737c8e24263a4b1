package dev.cloche.image.layer;

/**
 * Says what became of an archive.
 *
 * @param erofs the image, whose length is a multiple of 4 KiB; its digest is that of {@link LayerFormat#read}
 * @param archiveBytes length of the uncompressed archive, with all that followed its end
 * @param entries files, directories and links, with implied directories and those that were replaced later
 * @param droppedXattrs extended attributes that Linux does not have or that are reserved, and so were left out
 */
public record ConvertedLayer(FileFingerprint erofs, long archiveBytes, long entries, long droppedXattrs) {}
