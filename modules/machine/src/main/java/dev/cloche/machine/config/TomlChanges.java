package dev.cloche.machine.config;

import java.util.List;
import java.util.Map;
import org.tomlj.MutableTomlArray;
import org.tomlj.MutableTomlTable;
import org.tomlj.TomlComment;

/**
 * Changes a document only where values differ, so that comments, the order of keys, their notation and keys of others stay
 * as people wrote them.
 */
final class TomlChanges {
    private TomlChanges() {}

    /**
     * @param before what the document means now
     * @param after what it is to mean
     */
    static void apply(MutableTomlTable table, Map<String, ?> before, Map<String, ?> after) {
        after.forEach((key, value) -> {
            Object earlier = before.get(key);
            if (!value.equals(earlier)) {
                change(table, key, earlier == null ? empty(value) : earlier, value);
            }
        });
        before.keySet().stream().filter(key -> !after.containsKey(key)).forEach(key -> remove(table, key));
    }

    private static void change(MutableTomlTable table, String key, Object earlier, Object value) {
        List<String> path = List.of(key);
        if (value instanceof Map<?, ?> map) {
            apply(table.getOrCreateTable(path), strings(earlier), strings(map));
        } else if (value instanceof List<?> list
                && list.stream().allMatch(Map.class::isInstance)
                && isTables(earlier)) {
            tables(table, path, (List<?>) earlier, list);
        } else {
            table.set(path, value);
        }
    }

    private static boolean isTables(Object earlier) {
        return earlier instanceof List<?> list && list.stream().allMatch(Map.class::isInstance);
    }

    private static void tables(MutableTomlTable table, List<String> path, List<?> earlier, List<?> list) {
        if (earlier.isEmpty() || list.isEmpty()) {
            table.set(path, list);
            return;
        }
        MutableTomlArray array = table.getOrCreateArray(path);
        for (int i = 0; i < list.size(); i++) {
            if (i < earlier.size()) {
                apply(array.getTable(i), strings(earlier.get(i)), strings(list.get(i)));
            } else {
                array.add(MutableTomlTable.copyOf(strings(list.get(i))));
            }
        }
        for (int i = earlier.size() - 1; i >= list.size(); i--) {
            array.remove(i);
        }
    }

    /** What a person wrote about a value stays when the value goes. */
    private static void remove(MutableTomlTable table, String key) {
        List<String> path = List.of(key);
        if (table.contains(path)) {
            for (TomlComment comment : table.comments(path)) {
                table.insertCommentBefore(path, comment.lines());
            }
            table.remove(path);
        }
    }

    private static Object empty(Object value) {
        return switch (value) {
            case Map<?, ?> _ -> Map.of();
            case List<?> _ -> List.of();
            default -> "";
        };
    }

    @SuppressWarnings("unchecked") // Maps of MachineValues have strings for keys.
    private static Map<String, Object> strings(Object map) {
        return (Map<String, Object>) map;
    }
}
