package dev.cloche.machine;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;

/** Random changes of a machine, from a seed. */
final class ConfigMutations {
    private static final List<DiskState> STATES = List.of(DiskState.values());

    private ConfigMutations() {}

    static PersistedMachine random(PersistedMachine machine, Random random, HostileText text) {
        MachineSettings settings = machine.settings();
        MachineStatus status = machine.status();
        return switch (random.nextInt(9)) {
            case 0 -> machine.withResources(machine.resources().withCpus(1 + random.nextInt(64)));
            case 1 -> machine.withStatus(status.withState(STATES.get(random.nextInt(4))));
            case 2 ->
                machine.withStatus(status.withLastError(maybe(random, text)).withLastEnd(maybe(random, text)));
            case 3 ->
                machine.withStatus(status.withIpAddress(maybe(random, text).filter(ip -> !ip.isEmpty())));
            case 4 -> machine.withSettings(settings.withEnv(changed(settings.env(), random, text.name(), text)));
            case 5 -> machine.withSettings(settings.withLabels(changed(settings.labels(), random, text.next(), text)));
            case 6 ->
                machine.withSettings(
                        settings.withPublish(random.nextBoolean() ? List.of() : List.of(text.next(), text.next())));
            case 7 ->
                machine.withOrigin(new MachineOrigin(
                        maybe(random, text), maybe(random, text), maybe(random, text), Optional.empty()));
            default ->
                machine.withStatus(
                        status.withStartedAt(Optional.of(Instant.ofEpochMilli(random.nextLong(4_000_000_000_000L)))));
        };
    }

    private static Optional<String> maybe(Random random, HostileText text) {
        return random.nextBoolean() ? Optional.empty() : Optional.of(text.next());
    }

    private static Map<String, String> changed(Map<String, String> map, Random random, String key, HostileText text) {
        TreeMap<String, String> copy = new TreeMap<>(map);
        if (!copy.isEmpty() && random.nextInt(3) == 0) {
            copy.remove(List.copyOf(copy.keySet()).get(random.nextInt(copy.size())));
        } else {
            copy.put(key, text.next());
        }
        return copy;
    }
}
