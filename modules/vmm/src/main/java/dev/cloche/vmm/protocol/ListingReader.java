package dev.cloche.vmm.protocol;

import dev.cloche.vm.ExecutionInfo;
import dev.cloche.vm.ExitStatus;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Reads the payload of a LISTING (docs/guest-protocol.md). Pure. */
public final class ListingReader {
    /** More executions than an agent can have. */
    public static final int MAX_EXECUTIONS = 1024;

    private static final int MAX_PROGRAM = 256;
    private static final int MAX_KEY = 128;
    private static final long NANOS = 1_000_000_000;

    private ListingReader() {}

    /** By rising id. */
    static List<ExecutionInfo> executions(PayloadReader in) {
        int count = in.u32(0, MAX_EXECUTIONS);
        List<ExecutionInfo> all = new ArrayList<>();
        int last = 0;
        for (int i = 0; i < count; i++) {
            ExecutionInfo next = execution(in);
            if (Integer.compareUnsigned(next.id(), last) <= 0) {
                throw in.bad("is not in order");
            }
            last = next.id();
            all.add(next);
        }
        return List.copyOf(all);
    }

    private static ExecutionInfo execution(PayloadReader in) {
        int id = in.u32();
        int processId = in.u32();
        int flags = in.u32(0, Frame.EXEC_ALL);
        Optional<ExitStatus> end = end(in);
        boolean attached = in.u32(0, 1) == 1;
        Instant startedAt = instant(in.u63());
        long endedAt = in.u63();
        ExecutionInfo.Kept stdout = kept(in);
        ExecutionInfo.Kept stderr = kept(in);
        String program = in.sentence(MAX_PROGRAM);
        Optional<String> key = (flags & Frame.EXEC_KEYED) != 0 ? Optional.of(in.sentence(MAX_KEY)) : Optional.empty();
        return new ExecutionInfo(
                id,
                processId,
                program,
                (flags & Frame.EXEC_STDIN) != 0,
                (flags & Frame.EXEC_MAIN) != 0,
                (flags & Frame.EXEC_TERMINAL) != 0,
                (flags & Frame.EXEC_ACKNOWLEDGED) != 0,
                key,
                attached,
                startedAt,
                end,
                end.map(status -> instant(endedAt)),
                stdout,
                stderr);
    }

    private static Optional<ExitStatus> end(PayloadReader in) {
        if (in.u32(0, 1) == 1) {
            return Optional.of(GuestMessage.status(in));
        }
        in.u32(0, 0);
        in.u32(0, 0);
        return Optional.empty();
    }

    private static ExecutionInfo.Kept kept(PayloadReader in) {
        long from = in.u63();
        long to = in.u63();
        if (from > to) {
            throw in.bad("keeps an output that ends before it begins");
        }
        return new ExecutionInfo.Kept(from, to);
    }

    private static Instant instant(long nanos) {
        return Instant.ofEpochSecond(nanos / NANOS, nanos % NANOS);
    }
}
