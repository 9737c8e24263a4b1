package dev.cloche.vm;

import dev.cloche.base.DurableFiles;
import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/** Where the answer of the probe is remembered. It is only a memory: without it the probe is asked again. */
final class ProbeMemory {
    /** Of the file; another program's memory may lack what this one needs to boot. */
    private static final long FORMAT = 3;

    private static final String FORMAT_FIELD = "format";
    private static final String KEY = "key";
    private static final String VERSION = "version";
    private static final String ACCELERATOR = "accelerator";
    private static final String CPU = "cpu";
    private static final String PROVEN = "proven";
    private static final String REASON = "reason";
    private static final String COUNTER = "counterKiloHertz";
    private static final String ASK_AGAIN_AT = "askAgainAt";

    private final Path file;

    ProbeMemory(Path file) {
        this.file = file;
    }

    /**
     * What was remembered of this key, if it still holds.
     *
     * @param now milliseconds since 1970
     * @param longest that an answer with an end may be remembered; if the clock was set back, it is not
     */
    Optional<HostFacts> recall(String key, long now, long longest) {
        try {
            Map<String, Object> json = FlatJson.read(file);
            if (key.equals(json.get(KEY))
                    && Long.valueOf(FORMAT).equals(json.get(FORMAT_FIELD))
                    && json.get(VERSION) instanceof String version
                    && json.get(ACCELERATOR) instanceof String accelerator
                    && json.get(CPU) instanceof String cpu
                    && json.get(PROVEN) instanceof Boolean proven
                    && json.get(REASON) instanceof String reason) {
                OptionalLong askAgainAt = number(json, ASK_AGAIN_AT);
                if (askAgainAt.isPresent()
                        && (now >= askAgainAt.getAsLong() || now < askAgainAt.getAsLong() - longest)) {
                    return Optional.empty();
                }
                VmCapabilities known =
                        new VmCapabilities("qemu", version, Accelerator.valueOf(accelerator), cpu, proven, reason);
                return Optional.of(new HostFacts(known, number(json, COUNTER), askAgainAt));
            }
            return Optional.empty();
        } catch (IOException | IllegalArgumentException noneOrDamaged) {
            return Optional.empty();
        }
    }

    private static OptionalLong number(Map<String, Object> json, String name) {
        return json.get(name) instanceof Long value ? OptionalLong.of(value) : OptionalLong.empty();
    }

    /** Where that fails, as on a full disk, the next one finds it out again. */
    void remember(String key, HostFacts facts) {
        VmCapabilities found = facts.capabilities();
        Map<String, Object> json = new LinkedHashMap<>();
        json.put(FORMAT_FIELD, FORMAT);
        json.put(KEY, key);
        json.put(VERSION, found.version());
        json.put(ACCELERATOR, found.accelerator().name());
        json.put(CPU, found.cpu());
        json.put(PROVEN, found.proven());
        json.put(REASON, found.acceleratorReason());
        facts.counterKiloHertz().ifPresent(value -> json.put(COUNTER, value));
        facts.askAgainAt().ifPresent(value -> json.put(ASK_AGAIN_AT, value));
        try {
            DurableFiles.write(file, FlatJson.write(json));
        } catch (IOException forgotten) {
            System.getLogger(ProbeMemory.class.getName())
                    .log(System.Logger.Level.DEBUG, "what runs guests here is not remembered", forgotten);
        }
    }
}
