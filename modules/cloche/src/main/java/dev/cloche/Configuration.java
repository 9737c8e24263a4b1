package dev.cloche;

import dev.cloche.base.BinarySize;
import dev.cloche.base.EnumNames;
import dev.cloche.image.RegistryMirror;
import dev.cloche.image.RegistryOptions;
import dev.cloche.interpreter.Language;
import dev.cloche.pool.PoolConfig;
import dev.cloche.vm.Isolation;
import dev.cloche.vm.VmLimits;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import org.tomlj.Toml;
import org.tomlj.TomlArray;
import org.tomlj.TomlParseResult;
import org.tomlj.TomlTable;

/**
 * What {@code config.toml} in the state root says of registries, images, pools, isolation, limits and interpreters; without the
 * file, nothing. It is for people to write, so what is not known in it is refused with its line.
 *
 * <pre>
 * isolation = "sealed"
 * on-alarm = "stop"
 * certificate-authorities = ["/etc/ssl/corporation.pem"]
 *
 * [registry."docker.io"]
 * mirrors = ["mirror.example:5000", "proxy.example/docker"]
 *
 * [registry."registry.example:5000"]
 * plain-http = true
 *
 * [images]
 * keep = "20g"
 *
 * [pools]
 * vms = 64
 * memory = "16g"
 *
 * [limits]
 * memory = "75%"
 *
 * [interpreter]
 * python = "python:3.13-slim"
 * </pre>
 *
 * @param mirrors of each registry, in their order
 * @param plainHttp registries that are spoken to without TLS
 * @param authorities files of certificates that are trusted too
 * @param keepImages below how many bytes all images are kept
 * @param pools what the VMs of all pools may take together
 * @param isolation the least of walls around each VM; empty if it says nothing
 * @param alarmEnds whether the first call that QEMU is refused ends its VM
 * @param limits what all VMs may take of the host together
 * @param interpreters the image of each language for an interpreter that is given none
 */
record Configuration(
        Map<String, List<RegistryMirror>> mirrors,
        Set<String> plainHttp,
        List<Path> authorities,
        OptionalLong keepImages,
        PoolConfig.Budget pools,
        Optional<Isolation> isolation,
        boolean alarmEnds,
        VmLimits limits,
        Map<Language, String> interpreters) {
    private static final long MOST_BYTES = 1 << 20;
    private static final int MOST_MIRRORS = 16;
    private static final int MOST_VMS = 100_000;

    Configuration {
        mirrors = Map.copyOf(mirrors);
        plainHttp = Set.copyOf(plainHttp);
        authorities = List.copyOf(authorities);
        interpreters = Map.copyOf(interpreters);
    }

    /** @throws HostException.ConfigInvalid if the file is there and cannot be read or understood */
    static Configuration read(Path file) {
        try {
            if (Files.size(file) > MOST_BYTES) {
                throw new HostException.ConfigInvalid(file, "it is longer than " + MOST_BYTES + " bytes", null);
            }
            return new Reading(file).read(Toml.parse(file));
        } catch (NoSuchFileException nothingToSay) {
            return new Configuration(
                    Map.of(),
                    Set.of(),
                    List.of(),
                    OptionalLong.empty(),
                    PoolConfig.DEFAULT.budget(),
                    Optional.empty(),
                    false,
                    VmLimits.DEFAULT,
                    Map.of());
        } catch (IOException e) {
            throw new HostException.ConfigInvalid(file, String.valueOf(e.getMessage()), e);
        }
    }

    RegistryOptions applied(RegistryOptions options) {
        return options.withMirrors(mirrors).withPlainHttp(plainHttp).withAuthorities(authorities);
    }

    private static final class Reading {
        private final Path file;
        private final Map<String, List<RegistryMirror>> mirrors = new HashMap<>();
        private final Set<String> plainHttp = new HashSet<>();
        private final List<Path> authorities = new ArrayList<>();
        private OptionalLong keepImages = OptionalLong.empty();
        private PoolConfig.Budget pools = PoolConfig.DEFAULT.budget();
        private Optional<Isolation> isolation = Optional.empty();
        private boolean alarmEnds;
        private VmLimits limits = VmLimits.DEFAULT;
        private final Map<Language, String> interpreters = new EnumMap<>(Language.class);

        private Reading(Path file) {
            this.file = file;
        }

        private Configuration read(TomlParseResult document) {
            if (document.hasErrors()) {
                throw refused(document.errors().getFirst().toString());
            }
            for (String key : document.keySet()) {
                switch (key) {
                    case "certificate-authorities" ->
                        strings(document, key).forEach(path -> authorities.add(absolute(document, key, path)));
                    case "registry" -> {
                        TomlTable registries = table(document, key);
                        registries.keySet().forEach(name -> registry(name, table(registries, name)));
                    }
                    case "isolation" -> isolation(document, key);
                    case "on-alarm" -> onAlarm(document, key);
                    case "images" -> images(table(document, key));
                    case "pools" -> pools(table(document, key));
                    case "interpreter" -> interpreters(table(document, key));
                    case "limits" -> limits = new LimitsTable(this::wrong).read(table(document, key));
                    default -> throw unknown(document, key);
                }
            }
            return new Configuration(
                    mirrors, plainHttp, authorities, keepImages, pools, isolation, alarmEnds, limits, interpreters);
        }

        private void isolation(TomlTable settings, String key) {
            isolation = value(settings, key) instanceof String word
                    ? EnumNames.find(Isolation.class, word)
                    : Optional.empty();
            if (isolation.isEmpty()) {
                throw wrong(settings, key, "is no level: write \"auto\", \"reduced\", \"sealed\" or \"full\"");
            }
        }

        private void onAlarm(TomlTable settings, String key) {
            Object word = value(settings, key);
            alarmEnds = word.equals("stop");
            if (!alarmEnds && !word.equals("record")) {
                throw wrong(settings, key, "is not known: write \"record\" or \"stop\"");
            }
        }

        private void images(TomlTable settings) {
            for (String key : settings.keySet()) {
                if (!key.equals("keep")) {
                    throw unknown(settings, key);
                }
                OptionalLong size =
                        value(settings, key) instanceof String text ? BinarySize.parse(text) : OptionalLong.empty();
                if (size.isEmpty()) {
                    throw wrong(settings, key, "is no size: write for example \"20g\"");
                }
                keepImages = size;
            }
        }

        private void pools(TomlTable settings) {
            for (String key : settings.keySet()) {
                switch (key) {
                    case "vms" -> {
                        if (!(value(settings, key) instanceof Long vms) || vms < 1 || vms > MOST_VMS) {
                            throw wrong(settings, key, "is no number of VMs: write 1 to " + MOST_VMS);
                        }
                        pools = new PoolConfig.Budget(vms.intValue(), pools.memoryMiB());
                    }
                    case "memory" -> {
                        OptionalLong size = value(settings, key) instanceof String text
                                ? BinarySize.parse(text)
                                : OptionalLong.empty();
                        if (size.isEmpty() || size.getAsLong() < 1 << 20) {
                            throw wrong(settings, key, "is no size of 1m or more: write for example \"16g\"");
                        }
                        pools = new PoolConfig.Budget(pools.vms(), size.getAsLong() >> 20);
                    }
                    default -> throw unknown(settings, key);
                }
            }
        }

        private void interpreters(TomlTable settings) {
            for (String key : settings.keySet()) {
                Language language = EnumNames.find(Language.class, key).orElseThrow(() -> unknown(settings, key));
                if (!(value(settings, key) instanceof String image) || image.isBlank()) {
                    throw wrong(settings, key, "is no image: write for example \"python:3.13-slim\"");
                }
                interpreters.put(language, image);
            }
        }

        private void registry(String name, TomlTable settings) {
            for (String key : settings.keySet()) {
                switch (key) {
                    case "mirrors" -> {
                        List<RegistryMirror> parsed = new ArrayList<>();
                        for (String text : strings(settings, key)) {
                            parsed.add(mirror(settings, key, text));
                        }
                        if (parsed.size() > MOST_MIRRORS) {
                            throw wrong(settings, key, "names more than " + MOST_MIRRORS + " mirrors");
                        }
                        mirrors.put(name, parsed);
                    }
                    case "plain-http" -> {
                        if (!(value(settings, key) instanceof Boolean plain)) {
                            throw wrong(settings, key, "is neither true nor false");
                        }
                        if (plain) {
                            plainHttp.add(name);
                        }
                    }
                    default -> throw unknown(settings, key);
                }
            }
        }

        private RegistryMirror mirror(TomlTable table, String key, String text) {
            try {
                return RegistryMirror.parse(text);
            } catch (IllegalArgumentException e) {
                throw wrong(table, key, "is wrong: " + e.getMessage());
            }
        }

        private Path absolute(TomlTable table, String key, String text) {
            Path path = Path.of(text);
            if (!path.isAbsolute()) {
                throw wrong(table, key, "names a path that is not absolute");
            }
            return path;
        }

        private TomlTable table(TomlTable parent, String key) {
            if (value(parent, key) instanceof TomlTable table) {
                return table;
            }
            throw wrong(parent, key, "is no table");
        }

        private List<String> strings(TomlTable table, String key) {
            if (!(value(table, key) instanceof TomlArray array)) {
                throw wrong(table, key, "is no list of strings");
            }
            List<String> strings = new ArrayList<>();
            for (Object element : array.toList()) {
                if (!(element instanceof String text)) {
                    throw wrong(table, key, "is no list of strings");
                }
                strings.add(text);
            }
            return strings;
        }

        /** Keys are taken as they stand: a registry's name has dots. */
        private static Object value(TomlTable table, String key) {
            return Objects.requireNonNull(table.get(List.of(key)));
        }

        private HostException unknown(TomlTable table, String key) {
            return wrong(table, key, "is not known");
        }

        private HostException wrong(TomlTable table, String key, String what) {
            int line =
                    Objects.requireNonNull(table.inputPositionOf(List.of(key))).line();
            return refused("line " + line + ": \"" + key + "\" " + what);
        }

        private HostException refused(String what) {
            return new HostException.ConfigInvalid(file, what, null);
        }
    }
}
