package dev.cloche.base;

import java.util.List;
import java.util.stream.IntStream;

/** Finds the names that a mistyped one may stand for. Pure. */
public final class NameSuggestions {
    private static final int MOST = 3;

    private NameSuggestions() {}

    /** Asks for those that are near, or else says {@code otherwise}. */
    public static String remedy(String name, List<String> names, String otherwise) {
        List<String> near = of(name, names);
        return near.isEmpty() ? otherwise : "Did you mean " + String.join(" or ", near) + "?";
    }

    /** Returns those that a few changed, added, left out or swapped letters make of it, in their order. */
    public static List<String> of(String name, List<String> names) {
        int far = Math.max(1, name.length() / 3);
        return names.stream()
                .filter(other -> distance(name, other) <= far)
                .limit(MOST)
                .toList();
    }

    /** Counts letters that are changed, added, left out, or swapped with their neighbour. */
    private static int distance(String a, String b) {
        int[] twoAbove = new int[0];
        int[] above = IntStream.rangeClosed(0, b.length()).toArray();
        for (int i = 1; i <= a.length(); i++) {
            int[] row = new int[b.length() + 1];
            row[0] = i;
            for (int j = 1; j <= b.length(); j++) {
                int changed = above[j - 1] + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
                row[j] = Math.min(changed, 1 + Math.min(above[j], row[j - 1]));
                if (i > 1 && j > 1 && a.charAt(i - 1) == b.charAt(j - 2) && a.charAt(i - 2) == b.charAt(j - 1)) {
                    row[j] = Math.min(row[j], 1 + twoAbove[j - 2]);
                }
            }
            twoAbove = above;
            above = row;
        }
        return above[b.length()];
    }
}
