package dev.cloche.bench.report;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;

/**
 * Measures several things in turn, A B C A B C …, so that a machine whose speed drifts treats them alike. Rounds
 * that do not count come first: one, unless more are asked for.
 */
public final class Alternation {
    /** Does the thing once and says how long it took, in nanoseconds. */
    @FunctionalInterface
    public interface Subject {
        long measureNanos() throws Exception;
    }

    private final Map<String, Subject> subjects = new LinkedHashMap<>();
    private int uncounted = 1;
    private Optional<Random> lot = Optional.empty();

    public Alternation add(String name, Subject subject) {
        subjects.put(name, subject);
        return this;
    }

    /** Leaves the first rounds uncounted, so that the JVM is warm. */
    public Alternation warmUp(int rounds) {
        uncounted = rounds;
        return this;
    }

    /**
     * Has each round draw its order by lot, so that none always follows the same one: what was done just before is seen in the time of
     * a thing of milliseconds. Not for things of which one needs the other.
     */
    public Alternation byLot() {
        lot = Optional.of(new Random(1));
        return this;
    }

    public List<Samples> run(int rounds) throws Exception {
        Map<String, double[]> millis = new LinkedHashMap<>();
        subjects.keySet().forEach(name -> millis.put(name, new double[rounds]));
        List<Map.Entry<String, Subject>> turns = new ArrayList<>(subjects.entrySet());
        for (int round = -uncounted; round < rounds; round++) {
            lot.ifPresent(random -> Collections.shuffle(turns, random));
            for (Map.Entry<String, Subject> subject : turns) {
                double taken = subject.getValue().measureNanos() / 1e6;
                double[] kept = millis.get(subject.getKey());
                if (round >= 0 && kept != null) {
                    kept[round] = taken;
                }
            }
        }
        List<Samples> samples = new ArrayList<>();
        millis.forEach((name, values) -> samples.add(new Samples(name, values)));
        return samples;
    }
}
