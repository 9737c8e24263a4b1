package dev.cloche.vm;

/**
 * Says where the outputs of an execution go on for a caller that attaches to it: what was read before, so that nothing comes
 * twice.
 *
 * @param stdout offset of the first byte that is wanted
 * @param stderr the same of the standard error
 */
public record AttachPoint(long stdout, long stderr) {
    /** All that the guest still has. */
    public static final AttachPoint BEGINNING = new AttachPoint(0, 0);

    /** @throws VmException.Invalid if an offset is negative */
    public AttachPoint {
        if (stdout < 0 || stderr < 0) {
            throw new VmException.Invalid(
                    "There is no output before its beginning", "Give offsets that were read before.");
        }
    }

    public long of(Output output) {
        return output == Output.STDOUT ? stdout : stderr;
    }
}
