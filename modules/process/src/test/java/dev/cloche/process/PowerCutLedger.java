package dev.cloche.process;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** What {@link PowerCutProgram} was promised, and how a registry after a power cut is held against it. */
final class PowerCutLedger {
    private static final class Promises {
        private boolean registered;
        private boolean maybePruned;
        private String hash = "";
        private final Map<Long, String> events = new TreeMap<>();
        private Optional<String> ended = Optional.empty();
        private Optional<Long> pendingWake = Optional.empty();
        private boolean granted;
        private long fence;
    }

    private final Map<String, Promises> processes = new TreeMap<>();

    void read(String line) {
        List<String> words = List.of(line.split(" ", -1));
        String id = words.get(1);
        Promises promises = processes.computeIfAbsent(id, _ -> new Promises());
        switch (words.getFirst()) {
            case "registered" -> {
                promises.registered = true;
                promises.hash = words.get(2);
            }
            case "granted" -> promises.granted = true;
            case "revoking" -> promises.granted = false;
            case "event" -> promises.events.put(Long.parseLong(words.get(2)), words.get(3));
            case "woken" -> promises.pendingWake = Optional.of(Long.parseLong(words.get(2)));
            case "acking" -> promises.pendingWake = Optional.empty();
            case "fence" -> promises.fence = Long.parseLong(words.get(2));
            case "ended" -> promises.ended = Optional.of(words.get(2));
            case "pruning" -> promises.maybePruned = true;
            case "pruned" -> {
                long fence = promises.fence;
                Promises forgotten = new Promises();
                forgotten.fence = fence;
                processes.put(id, forgotten);
            }
            default -> throw new IllegalStateException("what is " + line);
        }
    }

    /** What was promised and is not so, in words; empty if all is well. Claims every process, to see its fence. */
    List<String> broken(ProcessRegistry registry) {
        List<String> broken = new ArrayList<>();
        processes.forEach((id, promises) -> check(registry, id, promises, broken));
        return broken;
    }

    private static void check(ProcessRegistry registry, String id, Promises promises, List<String> broken) {
        Optional<ProcessRecord> found = registry.get(id);
        String thread = id.substring(0, id.indexOf('-'));
        if (promises.registered && !promises.maybePruned) {
            if (found.isEmpty()) {
                broken.add(id + " is lost");
            } else {
                compare(registry, found.get(), promises, broken);
            }
        }
        registry.register(PowerCutProgram.registration(id, thread));
        // As the same owner, for its lease may be live.
        Lease lease = registry.claim(id, thread, Duration.ofMinutes(1));
        if (lease.fence() <= promises.fence) {
            broken.add("the fence of " + id + " is " + lease.fence() + " after " + promises.fence);
        }
    }

    private static void compare(ProcessRegistry registry, ProcessRecord found, Promises promises, List<String> broken) {
        String id = found.id();
        if (!found.hash().equals(promises.hash)) {
            broken.add(id + " has another hash");
        }
        Map<Long, String> events = new TreeMap<>();
        registry.eventsAfter(id, 0, 10_000).forEach(event -> events.put(event.sequence(), event.payloadHash()));
        if (!events.entrySet().containsAll(promises.events.entrySet())) {
            broken.add(id + " has lost events: promised " + promises.events + ", found " + events);
        }
        if (events.size() != found.events()) {
            broken.add(id + " has " + events.size() + " events and ends with " + found.lastSequence());
        }
        promises.ended.ifPresent(status -> {
            if (!found.status().word().equals(status)) {
                broken.add(id + " is " + found.status() + " after " + status);
            }
        });
        promises.pendingWake.ifPresent(sequence -> {
            if (registry.wakeEventsAfter(id, 0, 10_000).stream()
                    .noneMatch(wake -> wake.event().sequence() == sequence)) {
                broken.add(id + " has lost the wake " + sequence);
            }
        });
        if (promises.granted && registry.grantsOf(id).isEmpty()) {
            broken.add(id + " has lost its handle");
        }
    }
}
