package dev.cloche.qemu.host;

import dev.cloche.base.Printable;
import dev.cloche.vm.VmException;
import java.util.Map;

/** Says what the user wants guests to be run by: {@code CLOCHE_ACCELERATOR}. */
enum AcceleratorChoice {
    /** KVM where a guest runs on it, else software emulation. */
    AUTO,
    /** KVM, also where the probe says that no guest runs on it. */
    KVM,
    /** Software emulation, also where there is KVM. */
    TCG;

    private static final String VARIABLE = "CLOCHE_ACCELERATOR";

    /** @throws VmException.MissingResource if the variable says something else than {@code auto}, {@code kvm} or {@code tcg} */
    static AcceleratorChoice of(Map<String, String> environment) {
        String wanted = environment.getOrDefault(VARIABLE, "");
        return switch (wanted) {
            case "", "auto" -> AUTO;
            case "kvm" -> KVM;
            case "tcg" -> TCG;
            default ->
                throw new VmException.MissingResource(
                        VARIABLE + " is \"" + Printable.of(wanted) + "\", which is no accelerator",
                        "Set it to auto, kvm or tcg, or unset it.",
                        null);
        };
    }
}
