package dev.cloche.sandbox;

/** Somebody wants a sandbox to have another name. */
record RenameRequest(SandboxStore store, SandboxRecord sandbox, String name) {
    RenameRequest {
        SandboxName.validated(name);
    }

    void perform() {
        if (!sandbox.name().equals(name) && !store.rename(sandbox.id(), name)) {
            throw new SandboxException.NameInUse(
                    name, store.byName(name).map(SandboxRecord::status).orElse(SandboxStatus.STOPPED));
        }
    }
}
