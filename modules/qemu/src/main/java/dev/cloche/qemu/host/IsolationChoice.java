package dev.cloche.qemu.host;

import dev.cloche.base.EnumNames;
import dev.cloche.base.Printable;
import dev.cloche.vm.Isolation;
import dev.cloche.vm.VmException;
import java.util.Map;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * Says which walls around QEMU are accepted at least: the highest of what the environment, the configuration and the VM say.
 * None of them lowers what another asks for.
 *
 * @param environment where {@code CLOCHE_ISOLATION} is looked for
 * @param configured what the configuration says, asked at each start; empty if that is nothing
 * @param alarmEnds whether the first call that QEMU is refused ends its VM, asked at each start
 */
public record IsolationChoice(
        Map<String, String> environment, Supplier<Optional<Isolation>> configured, BooleanSupplier alarmEnds) {
    private static final String VARIABLE = "CLOCHE_ISOLATION";

    /**
     * Returns the least that is accepted.
     *
     * @param asked of a VM; empty if it says nothing
     * @throws VmException.MissingResource if the variable is no level
     */
    public Isolation of(Optional<Isolation> asked) {
        return Stream.of(variable(), configured.get(), asked)
                .flatMap(Optional::stream)
                .reduce(Isolation::or)
                .orElse(Isolation.AUTO);
    }

    private Optional<Isolation> variable() {
        String wanted = environment.getOrDefault(VARIABLE, "");
        if (wanted.isEmpty()) {
            return Optional.empty();
        }
        Optional<Isolation> level = EnumNames.find(Isolation.class, wanted);
        if (level.isEmpty()) {
            throw new VmException.MissingResource(
                    VARIABLE + " is \"" + Printable.of(wanted) + "\", which is no level of isolation",
                    "Set it to auto, reduced, sealed or full, or unset it.",
                    null);
        }
        return level;
    }
}
