package dev.cloche.vmm;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;

/** The fields of a flat JSON file of a known version; what is missing or of another type is an error that names it. */
public final class JsonFields {
    private final Map<String, Object> values;

    private JsonFields(Map<String, Object> values) {
        this.values = values;
    }

    /**
     * Reads a file that begins with its version.
     *
     * @throws IOException also if the version is another one
     */
    public static JsonFields read(Path file, long version) throws IOException {
        JsonFields fields = new JsonFields(FlatJson.read(file));
        long found = fields.number("version");
        if (found != version) {
            throw new IOException("its version is " + found + ", this program knows " + version);
        }
        return fields;
    }

    public String text(String name) throws IOException {
        return optionalText(name).orElseThrow(() -> new IOException("no valid " + name));
    }

    public Optional<String> optionalText(String name) {
        return values.get(name) instanceof String value ? Optional.of(value) : Optional.empty();
    }

    public long number(String name) throws IOException {
        return optionalNumber(name).orElseThrow(() -> new IOException("no valid " + name));
    }

    /**
     * Returns a field that is an int.
     *
     * @throws IOException also if it does not fit
     */
    public int smallNumber(String name) throws IOException {
        long value = number(name);
        if (value < Integer.MIN_VALUE || value > Integer.MAX_VALUE) {
            throw new IOException("no valid " + name);
        }
        return (int) value;
    }

    public Optional<Long> optionalNumber(String name) {
        return values.get(name) instanceof Long value ? Optional.of(value) : Optional.empty();
    }

    public boolean truth(String name) throws IOException {
        if (values.get(name) instanceof Boolean value) {
            return value;
        }
        throw new IOException("no valid " + name);
    }

    /** Returns it, false where it is missing: files of before it came have it not. */
    public boolean optionalTruth(String name) throws IOException {
        return values.containsKey(name) && truth(name);
    }

    /** Returns all of them, as they are in the file. */
    public Map<String, Object> all() {
        return Map.copyOf(values);
    }
}
