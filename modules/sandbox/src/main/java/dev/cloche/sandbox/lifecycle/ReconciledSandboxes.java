package dev.cloche.sandbox.lifecycle;

import dev.cloche.sandbox.SandboxException;
import dev.cloche.sandbox.SandboxFilter;
import dev.cloche.sandbox.SandboxPage;
import dev.cloche.sandbox.SandboxRecord;
import java.util.List;
import java.util.OptionalLong;

/** Finds sandboxes as they are true now. */
public record ReconciledSandboxes(SandboxContext context, SandboxTerminator terminator) {
    /**
     * Returns what is recorded, after it was held against what runs.
     *
     * @throws SandboxException.NotFound if there is none
     */
    public SandboxRecord named(String name) {
        return context.store()
                .byName(name)
                .flatMap(terminator::settled)
                .orElseThrow(() -> new SandboxException.NotFound(name));
    }

    /**
     * Returns a sandbox by its number, also if it was renamed.
     *
     * @param id of its row
     * @throws SandboxException.NotFound if there is none any more
     */
    public SandboxRecord numbered(long id) {
        return context.store()
                .byId(id)
                .flatMap(terminator::settled)
                .orElseThrow(() -> new SandboxException.NotFound("number " + id));
    }

    /** Lists sandboxes, the newest first. */
    public SandboxPage list(SandboxFilter filter) {
        List<SandboxRecord> found = context.store().list(filter);
        List<SandboxRecord> settled = found.stream()
                .flatMap(record -> terminator.settled(record).stream())
                .filter(record ->
                        filter.statuses().isEmpty() || filter.statuses().contains(record.status()))
                .toList();
        return new SandboxPage(
                settled,
                found.size() < filter.limit()
                        ? OptionalLong.empty()
                        : OptionalLong.of(found.getLast().id()));
    }
}
