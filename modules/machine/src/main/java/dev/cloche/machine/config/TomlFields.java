package dev.cloche.machine.config;

import dev.cloche.base.Printable;
import dev.cloche.machine.MachineException;
import dev.cloche.vm.VmException;
import dev.cloche.vm.WritableLayer;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.tomlj.TomlArray;
import org.tomlj.TomlTable;

/** Reads values of a table by their types; what has the wrong one is refused with its line. */
public final class TomlFields {
    private final TomlTable table;

    public TomlFields(TomlTable table) {
        this.table = table;
    }

    boolean has(String key) {
        return value(key) != null;
    }

    Optional<String> text(String key) throws DocumentException {
        return typed(key, String.class, "a string");
    }

    public String requiredText(String key) throws DocumentException {
        Optional<String> text = text(key);
        if (text.isEmpty()) {
            throw new DocumentException(OptionalInt.empty(), "it has no " + key, false);
        }
        return text.get();
    }

    /** Returns what a word stands for. */
    <T> T word(String key, Function<String, Optional<T>> meaning, T otherwise) throws DocumentException {
        Optional<String> word = text(key);
        if (word.isEmpty()) {
            return otherwise;
        }
        Optional<T> value = meaning.apply(word.get());
        if (value.isEmpty()) {
            throw wrong(key, "cannot be \"" + Printable.brief(word.get()) + "\"");
        }
        return value.get();
    }

    public int integer(String key, int otherwise) throws DocumentException {
        long value = typed(key, Long.class, "an integer").orElse((long) otherwise);
        if (value != (int) value) {
            throw wrong(key, "is out of range");
        }
        return (int) value;
    }

    long number(String key, long otherwise) throws DocumentException {
        return typed(key, Long.class, "an integer").orElse(otherwise);
    }

    /** Returns limits of a disk with those that the table has in place of the earlier ones; 0 is for none. */
    WritableLayer.Throttle throttle(WritableLayer.Throttle earlier) throws DocumentException {
        int iops = integer(ConfigKeys.DISK_IOPS, earlier.iops().orElse(0));
        long bytes = number(ConfigKeys.DISK_BPS, earlier.bytesPerSecond().orElse(0));
        WritableLayer.Throttle none = WritableLayer.Throttle.none();
        WritableLayer.Throttle requests = iops == 0 ? none : checked(() -> none.withIops(iops), ConfigKeys.DISK_IOPS);
        return bytes == 0 ? requests : checked(() -> requests.withBytesPerSecond(bytes), ConfigKeys.DISK_BPS);
    }

    public boolean truth(String key, boolean otherwise) throws DocumentException {
        return typed(key, Boolean.class, "true or false").orElse(otherwise);
    }

    /** Returns a date with time and offset, of TOML or as a string of RFC 3339. */
    Optional<Instant> time(String key) throws DocumentException {
        Object value = value(key);
        if (value instanceof String text) {
            try {
                return Optional.of(OffsetDateTime.parse(text).toInstant());
            } catch (DateTimeException e) {
                throw wrong(key, "is no date with time and offset");
            }
        }
        return typed(key, OffsetDateTime.class, "a date with time and offset").map(OffsetDateTime::toInstant);
    }

    List<String> texts(String key) throws DocumentException {
        Optional<TomlArray> array = typed(key, TomlArray.class, "an array of strings");
        List<String> texts = new ArrayList<>();
        for (Object element : array.map(TomlArray::toList).orElse(List.of())) {
            if (!(element instanceof String text)) {
                throw wrong(key, "is not an array of strings");
            }
            texts.add(text);
        }
        return texts;
    }

    List<TomlFields> tables(String key) throws DocumentException {
        Optional<TomlArray> array = typed(key, TomlArray.class, "an array of tables");
        List<TomlFields> tables = new ArrayList<>();
        for (Object element : array.map(TomlArray::toList).orElse(List.of())) {
            if (!(element instanceof TomlTable entry)) {
                throw wrong(key, "is not an array of tables");
            }
            tables.add(new TomlFields(entry));
        }
        return tables;
    }

    Map<String, String> map(String key) throws DocumentException {
        Optional<TomlTable> values = typed(key, TomlTable.class, "a table of strings");
        Map<String, String> map = new TreeMap<>();
        if (values.isPresent()) {
            for (Map.Entry<String, Object> entry : values.get().entrySet()) {
                if (!(entry.getValue() instanceof String text)) {
                    throw new DocumentException(
                            line(values.get(), entry.getKey()),
                            key + "." + Printable.brief(entry.getKey()) + " is not a string",
                            false);
                }
                map.put(entry.getKey(), text);
            }
        }
        return map;
    }

    /** Returns a part whose own checks of its values speak of {@code keys}; the first that is there has the line. */
    <T> T checked(Supplier<T> part, String... keys) throws DocumentException {
        try {
            return part.get();
        } catch (MachineException.Invalid | VmException.Invalid e) {
            OptionalInt line = OptionalInt.empty();
            for (String key : keys) {
                line = line.isEmpty() && has(key) ? line(table, key) : line;
            }
            String remedy = withoutStop(e.remedy());
            throw new DocumentException(
                    line, withoutStop(e.sentence()) + (remedy.isEmpty() ? "" : ": " + small(remedy)), false);
        }
    }

    DocumentException wrong(String key, String what) {
        return new DocumentException(line(table, key), key + " " + what, false);
    }

    private <T> Optional<T> typed(String key, Class<T> type, String what) throws DocumentException {
        Object value = value(key);
        if (value != null && !type.isInstance(value)) {
            throw wrong(key, "is not " + what);
        }
        return Optional.ofNullable(value).map(type::cast);
    }

    private @Nullable Object value(String key) {
        return table.get(List.of(key));
    }

    private static OptionalInt line(TomlTable table, String key) {
        var position = table.inputPositionOf(List.of(key));
        return position == null ? OptionalInt.empty() : OptionalInt.of(position.line());
    }

    private static String small(String sentence) {
        return sentence.substring(0, 1).toLowerCase(Locale.ROOT) + sentence.substring(1);
    }

    private static String withoutStop(String sentence) {
        return sentence.endsWith(".") ? sentence.substring(0, sentence.length() - 1) : sentence;
    }
}
