package dev.cloche.vmm.protocol;

import dev.cloche.vm.GuestMetrics;
import java.util.Arrays;
import java.util.OptionalLong;

/** Reads the payload of a MEASURED (docs/guest-protocol.md). Pure. */
final class MetricsReader {
    private static final int TAGS = 13;

    private final OptionalLong[] values = new OptionalLong[TAGS + 1];

    private MetricsReader() {
        Arrays.fill(values, OptionalLong.empty());
    }

    static GuestMetrics metrics(PayloadReader in) {
        MetricsReader reader = new MetricsReader();
        while (in.rest().hasRemaining()) {
            reader.take(in);
        }
        OptionalLong[] of = reader.values;
        return new GuestMetrics(
                of[1], of[2], of[3], of[4], of[5], of[6], of[7], of[8], of[9], of[10], of[11], of[12], of[13]);
    }

    private void take(PayloadReader in) {
        int tag = in.u32();
        if (tag < 1 || tag > TAGS) {
            // Of a later agent.
            in.u64();
            return;
        }
        if (values[tag].isPresent()) {
            throw in.bad("has a value twice");
        }
        values[tag] = OptionalLong.of(in.u63());
    }
}
