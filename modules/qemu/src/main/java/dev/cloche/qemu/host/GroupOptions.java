package dev.cloche.qemu.host;

import dev.cloche.vm.VmLimits;
import java.util.List;

/** The guard's option that says where a VM's control group is made; see docs/guard.md. Pure. */
public final class GroupOptions {
    private GroupOptions() {}

    /** Returns it; nothing where a VM has no group. */
    public static List<String> of(VmLimits.Group group) {
        return switch (group) {
            case VmLimits.Group.None _ -> List.of();
            case VmLimits.Group.Delegated _ -> List.of("--group", "auto");
            case VmLimits.Group.Below(String path) -> List.of("--group", path);
        };
    }
}
