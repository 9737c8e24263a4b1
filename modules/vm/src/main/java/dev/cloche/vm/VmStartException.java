package dev.cloche.vm;

import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A VM did not come up. */
public final class VmStartException extends VmException {
    private static final int LONGEST_LINE = 200;
    /** What the agent's lines begin with (guest/src/log.c). After its last one the kernel complains while it reboots. */
    private static final String AGENT = "cloche: ";

    private final String consoleTail;

    public VmStartException(String sentence, String remedy, String consoleTail, @Nullable Throwable cause) {
        super("vm.start", sentence + lastWords(consoleTail), remedy, cause);
        this.consoleTail = consoleTail;
    }

    /** Nearly always why it did not come up: the agent's line, else the last one of the kernel or QEMU. */
    private static String lastWords(String consoleTail) {
        List<String> lines = consoleTail.lines().filter(line -> !line.isBlank()).toList();
        Optional<String> agents =
                lines.stream().filter(line -> line.startsWith(AGENT)).reduce((before, last) -> last);
        return agents.or(() -> lines.stream().reduce((before, last) -> last))
                .map(line -> ". Its console says: " + line.substring(0, Math.min(LONGEST_LINE, line.length())))
                .orElse("");
    }

    /**
     * The end of the guest's console, at most 4,096 characters, empty if it wrote nothing. The guest wrote it: control
     * characters except the newline are replaced.
     */
    public String consoleTail() {
        return consoleTail;
    }
}
