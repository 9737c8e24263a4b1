package dev.cloche.qemu.snapshot;

import dev.cloche.qemu.host.FileDigests;
import dev.cloche.vm.SnapshotException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.NavigableSet;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Describes all that a restore depends on, field by field; what fields there are is said in docs/on-disk.md. Two machines of
 * equal keys can continue each other's guests.
 */
public record SnapshotKey(NavigableMap<String, String> fields) {
    static final String COUNTER = "counterKiloHertz";
    /** Of 1, how much two measures of one counter may differ: the guest's clock then runs wrong by as much. */
    private static final double COUNTER_TOLERANCE = 1e-3;

    private static final String NONE = "none";

    public SnapshotKey {
        fields = Collections.unmodifiableNavigableMap(new TreeMap<>(fields));
    }

    /** Returns what is different here; empty if a restore is possible. */
    public List<SnapshotException.Mismatch.Difference> differences(SnapshotKey here) {
        NavigableSet<String> names = new TreeSet<>(fields.keySet());
        names.addAll(here.fields.keySet());
        List<SnapshotException.Mismatch.Difference> found = new ArrayList<>();
        for (String name : names) {
            String then = fields.getOrDefault(name, NONE);
            String now = here.fields.getOrDefault(name, NONE);
            if (!then.equals(now) && !(name.equals(COUNTER) && near(then, now))) {
                found.add(new SnapshotException.Mismatch.Difference(name, then, now));
            }
        }
        return List.copyOf(found);
    }

    /** Without what is measured anew at each boot of the host. */
    String fingerprint() {
        StringBuilder text = new StringBuilder();
        fields.forEach((name, value) -> {
            if (!name.equals(COUNTER)) {
                text.append(name).append('=').append(value).append('\n');
            }
        });
        return FileDigests.sha256(text.toString().getBytes(StandardCharsets.UTF_8));
    }

    private static boolean near(String then, String now) {
        try {
            double frequency = Long.parseLong(then);
            return Math.abs(frequency - Long.parseLong(now)) <= frequency * COUNTER_TOLERANCE;
        } catch (NumberFormatException none) {
            return false;
        }
    }

    public static SnapshotKey of(Map<String, String> fields) {
        return new SnapshotKey(new TreeMap<>(fields));
    }
}
