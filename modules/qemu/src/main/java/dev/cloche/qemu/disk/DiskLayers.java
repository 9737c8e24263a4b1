package dev.cloche.qemu.disk;

import java.nio.file.Path;
import java.util.List;

/**
 * Holds the files of a disk from the bottom to the top, and tells QEMU of each what it is and what lies below it. So nothing
 * that stands in a layer's head decides what is opened: a guest that broke out of QEMU may have written it. Pure.
 */
public record DiskLayers(List<Path> files) {
    /** @throws IllegalArgumentException if there is none, or the first is not the lowest of a disk */
    public DiskLayers {
        files = List.copyOf(files);
        if (files.isEmpty() || !DiskChain.isBottom(files.getFirst())) {
            throw new IllegalArgumentException("no layers of a disk: " + files);
        }
    }

    /** Returns the file that is written to. */
    public Path top() {
        return files.getLast();
    }

    /** Returns them in the form of QEMU's options, without a comma at either end. */
    public String options() {
        StringBuilder out = new StringBuilder();
        String prefix = "";
        for (Path file : files.reversed()) {
            out.append(prefix.isEmpty() ? "" : ",")
                    .append(prefix)
                    .append("driver=")
                    .append(DiskChain.isBottom(file) ? "raw" : "qcow2")
                    .append(',')
                    .append(prefix)
                    .append("file.driver=file,")
                    .append(prefix)
                    .append("file.filename=")
                    // A comma ends a value, unless it is doubled.
                    .append(file.toString().replace(",", ",,"));
            prefix += "backing.";
        }
        return out.toString();
    }
}
