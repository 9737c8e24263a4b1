package dev.cloche.vmm;

import dev.cloche.vm.VmSpec;

/** Says what the holder of a handle may do, and what its end means. */
enum HandleRole {
    ATTACHED,
    /** Attached, and ended by its snapshot. */
    TEMPLATE_MAKER,
    DETACHED,
    /** Connected to a VM that another process owns. */
    NONE;

    static HandleRole of(VmSpec spec, boolean attached) {
        return spec.templateMaker() ? TEMPLATE_MAKER : attached ? ATTACHED : DETACHED;
    }
}
