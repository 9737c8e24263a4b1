package dev.cloche.qemu.host;

import dev.cloche.base.Printable;
import dev.cloche.vm.VmException;
import dev.cloche.vm.VmLimits;
import java.util.Map;
import java.util.function.Supplier;

/**
 * Says which limits are in effect: the configuration's, unless the environment says {@code CLOCHE_LIMITS=off}.
 *
 * @param environment where {@code CLOCHE_LIMITS} is looked for
 * @param configured what the configuration says, asked at each start
 */
public record LimitsChoice(Map<String, String> environment, Supplier<VmLimits> configured)
        implements Supplier<VmLimits> {
    private static final String VARIABLE = "CLOCHE_LIMITS";

    /** @throws VmException.MissingResource if the variable is another word */
    @Override
    public VmLimits get() {
        String word = environment.getOrDefault(VARIABLE, "");
        return switch (word) {
            case "", "on" -> configured.get();
            case "off" -> VmLimits.off();
            default ->
                throw new VmException.MissingResource(
                        VARIABLE + " is \"" + Printable.of(word) + "\", which is neither on nor off",
                        "Set it to off, or unset it.",
                        null);
        };
    }
}
