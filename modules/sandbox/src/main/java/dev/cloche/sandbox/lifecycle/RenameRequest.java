package dev.cloche.sandbox.lifecycle;

import dev.cloche.sandbox.SandboxException;
import dev.cloche.sandbox.SandboxRecord;
import dev.cloche.sandbox.SandboxStatus;
import dev.cloche.sandbox.record.SandboxName;
import dev.cloche.sandbox.record.SandboxStore;

/** Gives a sandbox another name. */
public record RenameRequest(SandboxStore store, SandboxRecord sandbox, String name) {
    public RenameRequest {
        SandboxName.validated(name);
    }

    public void perform() {
        if (!sandbox.name().equals(name) && !store.rename(sandbox.id(), name)) {
            throw new SandboxException.NameInUse(
                    name, store.byName(name).map(SandboxRecord::status).orElse(SandboxStatus.STOPPED));
        }
    }
}
