package dev.cloche.erofs;

import java.nio.file.Path;

/** A file is no EROFS image as Cloche writes it: torn, foreign, damaged, or made to deceive. */
public final class CorruptErofsException extends ErofsException {
    CorruptErofsException(Path file, String what) {
        super(
                "erofs.corrupt",
                "The EROFS image " + file + " is not usable: " + what + ".",
                "Remove the file, so that it is built again.",
                null);
    }
}
