package dev.cloche.machine.config;

import dev.cloche.base.Printable;
import dev.cloche.machine.MachineName;
import dev.cloche.machine.PersistedMachine;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import org.tomlj.Toml;
import org.tomlj.TomlParseError;
import org.tomlj.TomlParseResult;

/** Holds the text of a config.toml and what it means. Immutable. */
public final class MachineDocument {
    /** Larger than any that people write; the parser keeps several times its size in memory. */
    public static final int MAX_BYTES = 1 << 20;

    private static final String HEAD = """
            # A machine of Cloche. Edit it with: cloche machine edit NAME
            # Comments and keys that Cloche does not know stay as they are.
            """;

    private final String text;
    private final String directory;
    private final Instant fileTime;
    private final PersistedMachine machine;

    private MachineDocument(String text, String directory, Instant fileTime, PersistedMachine machine) {
        this.text = text;
        this.directory = directory;
        this.fileTime = fileTime;
        this.machine = machine;
    }

    /**
     * Reads a file's content.
     *
     * @param directory the name of the file's directory
     * @param fileTime when the machine was made, if the file does not say
     * @throws DocumentException if it is no configuration of that machine
     */
    public static MachineDocument parse(byte[] bytes, String directory, Instant fileTime) throws DocumentException {
        if (bytes.length > MAX_BYTES) {
            throw new DocumentException(OptionalInt.empty(), "it is longer than " + MAX_BYTES + " bytes", false);
        }
        return parse(decode(bytes), directory, fileTime);
    }

    /** Reads the content of a file whose directory may have any name. */
    static MachineDocument parseUnderAnyName(byte[] bytes, Instant fileTime) throws DocumentException {
        return parse(bytes, new TomlFields(toml(decode(bytes))).requiredText(ConfigKeys.NAME), fileTime);
    }

    private static MachineDocument parse(String text, String directory, Instant fileTime) throws DocumentException {
        PersistedMachine machine = new MachineReader(new TomlFields(toml(text))).read(directory, fileTime);
        return new MachineDocument(text, directory, fileTime, machine);
    }

    /** Returns the file of a new machine. */
    static MachineDocument of(PersistedMachine machine) throws DocumentException {
        String text = changed(toml(HEAD), toml -> {
            toml.set(List.of(ConfigKeys.SCHEMA_VERSION), (long) PersistedMachine.SCHEMA_VERSION);
            MachineValues.of(machine).forEach((key, value) -> {
                if (!value.equals(List.of())) {
                    toml.set(List.of(key), value);
                }
            });
        });
        return parse(text, machine.name().value(), machine.createdAt());
    }

    public PersistedMachine machine() {
        return machine;
    }

    /** Returns the keys of a text, of a configuration or not, that mean nothing to Cloche, by name; the caller's own. */
    public static Set<String> unknownKeys(byte[] text) {
        Set<String> keys = new TreeSet<>(
                Toml.parse(new String(text, StandardCharsets.UTF_8)).keySet());
        keys.removeAll(ConfigKeys.TOP_LEVEL);
        return keys;
    }

    public byte[] bytes() {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    /**
     * Returns the document that means {@code after}, in which everything else is as it was.
     *
     * @throws DocumentException if {@code after} cannot be written down
     */
    public MachineDocument meaning(PersistedMachine after) throws DocumentException {
        TomlParseResult toml = toml(text);
        Map<String, Object> before = new LinkedHashMap<>(MachineValues.of(machine));
        if (!toml.contains(List.of(ConfigKeys.CREATED_AT))) {
            // The next file has another time, so it has to stand in it.
            before.remove(ConfigKeys.CREATED_AT);
        }
        before.put(ConfigKeys.NAME, String.valueOf(toml.getString(List.of(ConfigKeys.NAME))));
        String next = changed(toml, document -> {
            TomlChanges.apply(document, before, MachineValues.of(after));
            // A write of the name that the directory has completes a rename.
            document.remove(List.of(ConfigKeys.RENAMED_TO));
        });
        MachineDocument changed = parse(next, after.name().value(), fileTime);
        if (!changed.machine.equals(after)) {
            throw new DocumentException(OptionalInt.empty(), "the change cannot be written down", false);
        }
        return changed;
    }

    /** Returns the same document, which also says that its directory is about to get another name. */
    MachineDocument announcing(MachineName next) throws DocumentException {
        String announced = changed(toml(text), toml -> toml.set(List.of(ConfigKeys.RENAMED_TO), next.value()));
        return parse(announced, directory, fileTime);
    }

    /** Returns the text after a change. The only texts that TOML cannot hold are those with half a surrogate pair. */
    private static String changed(TomlParseResult toml, Consumer<TomlParseResult> change) throws DocumentException {
        try {
            change.accept(toml);
            return toml.toToml();
        } catch (IllegalArgumentException unpaired) {
            throw new DocumentException(OptionalInt.empty(), "a text of it is no Unicode", false);
        }
    }

    private static TomlParseResult toml(String text) throws DocumentException {
        TomlParseResult toml = Toml.parse(text);
        if (toml.hasErrors()) {
            TomlParseError first = toml.errors().getFirst();
            throw new DocumentException(
                    OptionalInt.of(first.position().line()),
                    Printable.brief(String.valueOf(first.getMessage())),
                    false);
        }
        return toml;
    }

    private static String decode(byte[] bytes) throws DocumentException {
        ByteBuffer in = ByteBuffer.wrap(bytes);
        try {
            return StandardCharsets.UTF_8.newDecoder().decode(in).toString();
        } catch (CharacterCodingException e) {
            int line = 1;
            for (int i = 0; i < in.position(); i++) {
                line += bytes[i] == '\n' ? 1 : 0;
            }
            throw new DocumentException(OptionalInt.of(line), "it is no UTF-8", false);
        }
    }
}
