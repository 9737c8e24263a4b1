package dev.cloche.machine;

import java.util.TreeMap;

/** Counters in a machine's labels: a lost update is a count that is too small. */
final class TestLabels {
    private TestLabels() {}

    static PersistedMachine counted(PersistedMachine machine, String key) {
        TreeMap<String, String> labels = new TreeMap<>(machine.settings().labels());
        labels.merge(key, "1", (count, _) -> String.valueOf(Integer.parseInt(count) + 1));
        return machine.withSettings(machine.settings().withLabels(labels));
    }
}
