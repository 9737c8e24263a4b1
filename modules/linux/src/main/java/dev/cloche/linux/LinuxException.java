package dev.cloche.linux;

import dev.cloche.base.ClocheException;

/** The root of every error of this room. */
public abstract sealed class LinuxException extends ClocheException
        permits SystemCallException, UnsupportedSystemException {
    LinuxException(String code, String sentence, String remedy) {
        super(code, sentence, remedy, null);
    }
}
