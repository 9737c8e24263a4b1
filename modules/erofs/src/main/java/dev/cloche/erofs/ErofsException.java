package dev.cloche.erofs;

import dev.cloche.base.ClocheException;
import org.jspecify.annotations.Nullable;

/** The errors of the room erofs, beside {@link java.io.IOException} for the disk below it. */
public abstract sealed class ErofsException extends ClocheException
        permits CorruptErofsException, ErofsTooLargeException {
    ErofsException(String code, String sentence, String remedy, @Nullable Throwable cause) {
        super(code, sentence, remedy, cause);
    }
}
