package dev.cloche.interpreter;

import java.util.List;
import java.util.Optional;

/**
 * What came of a cell. All of it but {@code outcome}, {@code contextLost} and {@code truncated} is the guest's word. Of both
 * outputs and all values together at most 64 MiB are kept.
 *
 * @param outcome how it ended
 * @param value what its last expression was; empty if it was none, or nothing
 * @param displays what it has shown besides, in order, with its figures
 * @param stdout what it wrote to its standard output
 * @param stderr what it wrote to its standard error
 * @param error what its code threw
 * @param truncated whether something of it was left out, for it was larger than the limits allow
 * @param contextLost whether the variables of its context are lost, for the context ended with it
 * @param notice a sentence for people on what is to be known besides: a timeout, an end, what was left out; else empty
 */
public record CellResult(
        CellOutcome outcome,
        Optional<MimeBundle> value,
        List<MimeBundle> displays,
        String stdout,
        String stderr,
        Optional<CellError> error,
        boolean truncated,
        boolean contextLost,
        String notice) {
    public CellResult {
        displays = List.copyOf(displays);
    }

    /**
     * Returns the plain text of its value; empty if it has none.
     *
     * <pre>{@code
     * python.run("6 * 7").text(); // 42
     * }</pre>
     */
    public String text() {
        return value.map(MimeBundle::text).orElse("");
    }
}
