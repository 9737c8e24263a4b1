package dev.cloche.machine.config;

import java.util.Collections;
import java.util.Map;
import java.util.TreeMap;

/** Makes immutable maps in the order of their keys, so that the same content gives the same file. */
public final class SortedMaps {
    private SortedMaps() {}

    public static Map<String, String> copyOf(Map<String, String> map) {
        return Collections.unmodifiableMap(new TreeMap<>(map));
    }
}
