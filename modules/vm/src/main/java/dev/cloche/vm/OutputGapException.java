package dev.cloche.vm;

/**
 * The guest no longer has some bytes of an execution's output, because nobody who was attached took them in time. It is
 * thrown once; the next read goes on behind the gap.
 */
public final class OutputGapException extends VmException {
    private final long offset;
    private final long missing;

    public OutputGapException(String stream, long offset, long missing) {
        super(
                "vm.output-gap",
                stream + " lost " + missing + " bytes after offset " + offset,
                "Give the execution a larger window, or have its output acknowledged.",
                null);
        this.offset = offset;
        this.missing = missing;
    }

    /** The offset of the first byte that is missing. */
    public long offset() {
        return offset;
    }

    /** How many bytes are missing. */
    public long missing() {
        return missing;
    }
}
