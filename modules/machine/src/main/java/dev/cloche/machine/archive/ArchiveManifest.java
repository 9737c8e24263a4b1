package dev.cloche.machine.archive;

import dev.cloche.machine.MachineName;
import dev.cloche.machine.config.DocumentException;
import dev.cloche.machine.config.TomlFields;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.tomlj.MutableTomlTable;
import org.tomlj.Toml;
import org.tomlj.TomlParseResult;

/**
 * Describes the first entry of an archive: what follows.
 *
 * @param version of the archive's form
 * @param name of the machine
 * @param diskMiB the size of its disk
 * @param script whether there is a provisioning script
 */
public record ArchiveManifest(int version, String name, int diskMiB, boolean script) {
    public static final String ENTRY = "cloche-machine.toml";
    static final int VERSION = 1;
    static final int MAX_BYTES = 64 << 10;
    private static final int MAX_DISK_MIB = 1 << 24;

    public byte[] bytes() {
        MutableTomlTable toml = MutableTomlTable.create();
        toml.set(List.of("version"), (long) version);
        toml.set(List.of("name"), name);
        toml.set(List.of("disk_mib"), (long) diskMiB);
        toml.set(List.of("script"), script);
        return toml.toToml().getBytes(StandardCharsets.UTF_8);
    }

    /** @throws IOException if it is none, or of a newer form */
    static ArchiveManifest parse(byte[] bytes) throws IOException {
        TomlParseResult toml = Toml.parse(new String(bytes, StandardCharsets.UTF_8));
        TomlFields fields = new TomlFields(toml);
        try {
            int version = fields.integer("version", 0);
            if (version > VERSION) {
                throw new IOException("it has version " + version + ", and this Cloche knows none above " + VERSION);
            }
            ArchiveManifest manifest = new ArchiveManifest(
                    version, fields.requiredText("name"), fields.integer("disk_mib", 0), fields.truth("script", false));
            boolean sound = !toml.hasErrors()
                    && version == VERSION
                    && manifest.diskMiB > 0
                    && manifest.diskMiB <= MAX_DISK_MIB
                    && MachineName.isValid(manifest.name);
            if (sound) {
                return manifest;
            }
        } catch (DocumentException malformed) {
            throw new IOException("its manifest is damaged: " + malformed.reason(), malformed);
        }
        throw new IOException("its manifest is damaged");
    }
}
