package dev.cloche.qemu.host;

import dev.cloche.base.DurableFiles;
import dev.cloche.vm.Accelerator;
import dev.cloche.vm.VmCapabilities;
import dev.cloche.vmm.FlatJson;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Caches the answers of the probe, a file for each of the latest, so that two QEMUs in turn do not make each other's
 * forgotten. It is only a memory: without it the probe is asked again.
 */
final class ProbeCache {
    /** Of a file; another program's memory may lack what this one needs to boot. */
    private static final long FORMAT = 3;

    /** So many QEMUs, choices and rights of this user are told apart; leftovers of killed writers count too. */
    private static final int KEPT = 8;

    private static final String FORMAT_FIELD = "format";
    private static final String KEY = "key";
    private static final String VERSION = "version";
    private static final String ACCELERATOR = "accelerator";
    private static final String CPU = "cpu";
    private static final String PROVEN = "proven";
    private static final String REASON = "reason";
    private static final String COUNTER = "counterKiloHertz";
    private static final String ASK_AGAIN_AT = "askAgainAt";

    private final Path directory;

    /** @param directory of this memory alone; it is made when there is something to remember */
    ProbeCache(Path directory) {
        this.directory = directory;
    }

    /**
     * Returns what was remembered of this key, if it still holds.
     *
     * @param now milliseconds since 1970
     * @param longest that an answer with an end may be remembered; if the clock was set back, it is not
     */
    Optional<HostCapabilities> recall(String key, long now, long longest) {
        try {
            Path file = file(key);
            return Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)
                    ? facts(key, FlatJson.read(file)).filter(known -> holds(known, now, longest))
                    : Optional.empty();
        } catch (IOException | IllegalArgumentException damaged) {
            return Optional.empty();
        }
    }

    /** The name says the key only by a hash. */
    private static Optional<HostCapabilities> facts(String key, Map<String, Object> json) {
        if (key.equals(json.get(KEY))
                && Long.valueOf(FORMAT).equals(json.get(FORMAT_FIELD))
                && json.get(VERSION) instanceof String version
                && json.get(ACCELERATOR) instanceof String name
                && json.get(CPU) instanceof String cpu
                && json.get(PROVEN) instanceof Boolean proven
                && json.get(REASON) instanceof String reason) {
            Accelerator accelerator = Accelerator.valueOf(name);
            OptionalLong counter = number(json, COUNTER);
            if (CpuModel.isOf(accelerator, cpu) && counter.stream().allMatch(HostCapabilities::isCounter)) {
                VmCapabilities known = new VmCapabilities("qemu", version, accelerator, cpu, proven, reason);
                return Optional.of(new HostCapabilities(known, counter, number(json, ASK_AGAIN_AT)));
            }
        }
        return Optional.empty();
    }

    private static boolean holds(HostCapabilities known, long now, long longest) {
        return known.askAgainAt().stream().allMatch(end -> now < end && now >= end - longest);
    }

    private static OptionalLong number(Map<String, Object> json, String name) {
        return json.get(name) instanceof Long value ? OptionalLong.of(value) : OptionalLong.empty();
    }

    /** Where that fails, as on a full disk, the next one finds it out again. */
    void remember(String key, HostCapabilities capabilities) {
        VmCapabilities found = capabilities.capabilities();
        Map<String, Object> json = new LinkedHashMap<>();
        json.put(FORMAT_FIELD, FORMAT);
        json.put(KEY, key);
        json.put(VERSION, found.version());
        json.put(ACCELERATOR, found.accelerator().name());
        json.put(CPU, found.cpu());
        json.put(PROVEN, found.proven());
        json.put(REASON, found.acceleratorReason());
        capabilities.counterKiloHertz().ifPresent(value -> json.put(COUNTER, value));
        capabilities.askAgainAt().ifPresent(value -> json.put(ASK_AGAIN_AT, value));
        try {
            DurableFiles.ensureDirectory(directory);
            DurableFiles.write(file(key), FlatJson.write(json));
            forgetTheOldest();
        } catch (IOException forgotten) {
            debug("what runs guests here is not remembered", forgotten);
        }
    }

    private void forgetTheOldest() throws IOException {
        SortedMap<FileTime, List<Path>> byAge = new TreeMap<>(Comparator.reverseOrder());
        try (DirectoryStream<Path> files = Files.newDirectoryStream(directory)) {
            for (Path file : files) {
                age(file)
                        .ifPresent(age -> byAge.computeIfAbsent(age, _ -> new ArrayList<>())
                                .add(file));
            }
        }
        byAge.values().stream().flatMap(List::stream).skip(KEPT).forEach(ProbeCache::forget);
    }

    /** Empty if another process has just removed it. */
    private static Optional<FileTime> age(Path file) throws IOException {
        try {
            return Optional.of(Files.getLastModifiedTime(file, LinkOption.NOFOLLOW_LINKS));
        } catch (NoSuchFileException gone) {
            return Optional.empty();
        }
    }

    private static void forget(Path file) {
        try {
            Files.deleteIfExists(file);
        } catch (IOException resists) {
            debug("an old answer about what runs guests here stays", resists);
        }
    }

    private Path file(String key) {
        return directory.resolve(FileDigests.sha256(key.getBytes(StandardCharsets.UTF_8)) + ".json");
    }

    private static void debug(String what, IOException why) {
        System.getLogger(ProbeCache.class.getName()).log(System.Logger.Level.DEBUG, what, why);
    }
}
