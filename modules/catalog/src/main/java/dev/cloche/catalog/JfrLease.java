package dev.cloche.catalog;

import dev.cloche.base.OperationEvent;
import jdk.jfr.Description;
import jdk.jfr.Label;
import jdk.jfr.Name;
import org.jspecify.annotations.Nullable;

/** Records how long a lease was held, for Flight Recorder. */
@Name("dev.cloche.Lease")
@Label("Lease")
@Description(
        "A lease of work that one process of a state root does at a time, from its acquisition until it was given back")
final class JfrLease extends OperationEvent<LeaseTerm> {
    @Label("Lease")
    @Nullable
    String lease;

    @Label("Holder")
    @Nullable
    String holder;

    @Label("Kept")
    @Description("Whether it was held until it was given back; another process may have it otherwise")
    boolean kept;

    @Override
    protected void describe(LeaseTerm term) {
        lease = term.lease();
        holder = term.holder();
        kept = term.kept();
    }
}
