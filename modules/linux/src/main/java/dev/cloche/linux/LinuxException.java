package dev.cloche.linux;

import dev.cloche.base.ClocheException;
import org.jspecify.annotations.Nullable;

/** The root of every error of this room. */
public abstract sealed class LinuxException extends ClocheException
        permits SystemCallException, UnsupportedSystemException, NativeAccessDeniedException, NativeLibraryException {
    LinuxException(String code, String sentence, String remedy) {
        this(code, sentence, remedy, null);
    }

    LinuxException(String code, String sentence, String remedy, @Nullable Throwable cause) {
        super(code, sentence, remedy, cause);
    }
}
