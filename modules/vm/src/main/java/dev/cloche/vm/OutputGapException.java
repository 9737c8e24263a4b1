package dev.cloche.vm;

/** The guest lost some bytes of an execution's output; what comes after them is not given out. */
public final class OutputGapException extends VmException {
    OutputGapException(String stream, long offset, long missing) {
        super(
                "vm.output-gap",
                stream + " lost " + missing + " bytes after offset " + offset,
                "Read the output faster, or write it to a file in the guest.",
                null);
    }
}
