package dev.cloche;

import dev.cloche.base.BinarySize;
import dev.cloche.base.EnumNames;
import dev.cloche.vm.VmLimits;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.tomlj.TomlTable;

/** Reads the table {@code [limits]} of {@code config.toml}. For one thread. */
final class LimitsTable {
    private static final Pattern PERCENT = Pattern.compile("([1-9][0-9]?|100)%");

    /** An absolute path that leads nowhere but down, in what can be written into a file of JSON as it is. */
    private static final Pattern GROUP = Pattern.compile("(/(?!\\.{1,2}(/|$))[\\w.@:\\-]{1,255}){1,16}");

    private static final int MIB_BITS = 20;
    private static final long MOST = 100_000;
    private static final int MOST_LABELS = 1000;
    private static final int MOST_PERCENT = 100;

    /** Makes the error of a key that is not as it should be. */
    interface Refusal {
        HostException of(TomlTable table, String key, String what);
    }

    private final Refusal wrong;

    LimitsTable(Refusal wrong) {
        this.wrong = wrong;
    }

    VmLimits read(TomlTable table) {
        VmLimits usual = VmLimits.DEFAULT;
        VmLimits.Amount memory = usual.memory();
        VmLimits.Amount memoryFloor = usual.memoryFloor();
        VmLimits.Amount diskFloor = usual.diskFloor();
        VmLimits.Amount stateDisk = usual.stateDisk();
        OptionalInt pressure = usual.pressure();
        Map<String, VmLimits.Bound> labels = Map.of();
        Optional<VmLimits.Clones> clones = Optional.empty();
        VmLimits.UnderPressure underPressure = usual.underPressure();
        VmLimits.Group group = usual.group();
        OptionalLong cpus = OptionalLong.empty();
        OptionalLong sandboxes = OptionalLong.empty();
        OptionalLong disk = OptionalLong.empty();
        for (String key : table.keySet()) {
            switch (key) {
                case "memory" -> memory = amount(table, key);
                case "memory-floor" -> memoryFloor = amount(table, key);
                case "disk-floor" -> diskFloor = amount(table, key);
                case "state-disk" -> stateDisk = amount(table, key);
                case "pressure" -> pressure = pressure(table, key);
                case "cpus" -> cpus = count(table, key);
                case "sandboxes" -> sandboxes = count(table, key);
                case "disk" -> disk = size(table, key);
                case "clones" -> clones = Optional.of(clones(table, key));
                case "under-pressure" -> underPressure = underPressure(table, key);
                case "control-group" -> group = group(table, key);
                case "label" -> labels = labels(table(table, key));
                default -> throw unknown(table, key);
            }
        }
        VmLimits.Clones counted = clones.orElse(labels.isEmpty() ? VmLimits.Clones.EXPECTED : VmLimits.Clones.FULL);
        VmLimits.Bound total = new VmLimits.Bound(OptionalLong.empty(), cpus, sandboxes, disk);
        return new VmLimits(
                memory, memoryFloor, pressure, diskFloor, stateDisk, total, labels, counted, underPressure, group);
    }

    private Map<String, VmLimits.Bound> labels(TomlTable table) {
        if (table.size() > MOST_LABELS) {
            throw wrong.of(table, table.keySet().iterator().next(), "is one of more than " + MOST_LABELS + " labels");
        }
        Map<String, VmLimits.Bound> labels = new HashMap<>();
        for (String label : table.keySet()) {
            if (label.indexOf('=') < 1) {
                throw wrong.of(table, label, "is no label: write for example [limits.label.\"team=blue\"]");
            }
            labels.put(label, bound(table(table, label)));
        }
        return labels;
    }

    private VmLimits.Bound bound(TomlTable table) {
        OptionalLong memory = OptionalLong.empty();
        OptionalLong cpus = OptionalLong.empty();
        OptionalLong sandboxes = OptionalLong.empty();
        OptionalLong disk = OptionalLong.empty();
        for (String key : table.keySet()) {
            switch (key) {
                case "memory" -> memory = size(table, key);
                case "cpus" -> cpus = count(table, key);
                case "sandboxes" -> sandboxes = count(table, key);
                case "disk" -> disk = size(table, key);
                default -> throw unknown(table, key);
            }
        }
        return new VmLimits.Bound(memory, cpus, sandboxes, disk);
    }

    private VmLimits.Amount amount(TomlTable table, String key) {
        if (value(table, key) instanceof String text) {
            if (text.equals("off")) {
                return new VmLimits.Amount.None();
            }
            Matcher percent = PERCENT.matcher(text);
            if (percent.matches()) {
                return new VmLimits.Amount.Share(Integer.parseInt(percent.group(1)), 0);
            }
            OptionalLong bytes = BinarySize.parse(text);
            if (bytes.isPresent()) {
                return new VmLimits.Amount.Size(bytes.getAsLong() >> MIB_BITS);
            }
        }
        throw wrong.of(table, key, "is no amount: write for example \"75%\", \"12g\" or \"off\"");
    }

    private OptionalInt pressure(TomlTable table, String key) {
        Object value = value(table, key);
        if ("off".equals(value)) {
            return OptionalInt.empty();
        }
        if (value instanceof Long percent && percent >= 1 && percent <= MOST_PERCENT) {
            return OptionalInt.of(percent.intValue());
        }
        throw wrong.of(table, key, "is no percentage: write 1 to 100, or \"off\"");
    }

    private OptionalLong count(TomlTable table, String key) {
        if (value(table, key) instanceof Long count && count >= 1 && count <= MOST) {
            return OptionalLong.of(count);
        }
        throw wrong.of(table, key, "is no number: write 1 to " + MOST);
    }

    private OptionalLong size(TomlTable table, String key) {
        OptionalLong bytes = value(table, key) instanceof String text ? BinarySize.parse(text) : OptionalLong.empty();
        if (bytes.isEmpty()) {
            throw wrong.of(table, key, "is no size: write for example \"12g\"");
        }
        return OptionalLong.of(bytes.getAsLong() >> MIB_BITS);
    }

    private VmLimits.Clones clones(TomlTable table, String key) {
        return (value(table, key) instanceof String word
                        ? EnumNames.find(VmLimits.Clones.class, word)
                        : Optional.<VmLimits.Clones>empty())
                .orElseThrow(() -> wrong.of(table, key, "is neither \"expected\" nor \"full\""));
    }

    private VmLimits.UnderPressure underPressure(TomlTable table, String key) {
        return (value(table, key) instanceof String word
                        ? EnumNames.find(VmLimits.UnderPressure.class, word)
                        : Optional.<VmLimits.UnderPressure>empty())
                .orElseThrow(() -> wrong.of(table, key, "is neither \"retire-pools\" nor \"nothing\""));
    }

    private VmLimits.Group group(TomlTable table, String key) {
        if (value(table, key) instanceof String text) {
            if (text.equals("auto")) {
                return new VmLimits.Group.Delegated();
            }
            if (text.equals("off")) {
                return new VmLimits.Group.None();
            }
            if (GROUP.matcher(text).matches()) {
                return new VmLimits.Group.Below(text);
            }
        }
        throw wrong.of(
                table,
                key,
                "is no control group: write \"auto\", \"off\", or where it is, for example \"/sys/fs/cgroup/cloche\"");
    }

    private TomlTable table(TomlTable parent, String key) {
        if (value(parent, key) instanceof TomlTable table) {
            return table;
        }
        throw wrong.of(parent, key, "is no table");
    }

    private HostException unknown(TomlTable table, String key) {
        return wrong.of(table, key, "is not known");
    }

    private static Object value(TomlTable table, String key) {
        return Objects.requireNonNull(table.get(List.of(key)));
    }
}
