package dev.cloche.spring;

import dev.cloche.Cloche;
import dev.cloche.PoolInfo;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;

/** Tells how Cloche is, from its records and without opening it or starting a VM. */
final class ClocheState {
    private final ConfigurableListableBeanFactory beans;

    ClocheState(ConfigurableListableBeanFactory beans) {
        this.beans = beans;
    }

    /** Says how well it is. */
    enum Verdict {
        /** It works, as far as is known without a start. */
        UP,
        /** No VM of a pool can be made, and none is ready; or this system has no VMs. */
        DOWN,
        /** No bean has needed it yet. */
        UNKNOWN
    }

    /** Holds a verdict, and what it is from, by the names of details. */
    record Health(Verdict verdict, Map<String, Object> details) {}

    /**
     * Looks at the records.
     *
     * @throws dev.cloche.base.ClocheException if they cannot be read
     */
    Health health() {
        if (!Cloche.isSupported()) {
            return new Health(Verdict.DOWN, Map.of("supported", false));
        }
        Optional<Cloche> open = opened();
        if (open.isEmpty()) {
            return new Health(Verdict.UNKNOWN, Map.of("opened", false));
        }
        List<PoolInfo> pools = open.get().pools().list();
        return new Health(
                pools.stream().anyMatch(ClocheState::isFailing) ? Verdict.DOWN : Verdict.UP,
                Map.of("pools", pools.stream().map(ClocheState::details).toList()));
    }

    private static boolean isFailing(PoolInfo pool) {
        return pool.ready() == 0 && pool.retryAt().isPresent();
    }

    private static Map<String, Object> details(PoolInfo pool) {
        Map<String, Object> details = new LinkedHashMap<>();
        details.put("image", pool.image());
        details.put("memoryMib", pool.memoryMib());
        details.put("cpus", pool.cpus());
        details.put("network", pool.network());
        details.put("depth", pool.depth());
        details.put("ready", pool.ready());
        details.put("making", pool.making());
        if (pool.retryAt().isPresent()) {
            pool.lastError().ifPresent(error -> details.put("lastError", error));
        }
        return details;
    }

    private Optional<Cloche> opened() {
        return Arrays.stream(beans.getBeanNamesForType(Cloche.class, true, false))
                .map(beans::getSingleton)
                .filter(Cloche.class::isInstance)
                .map(Cloche.class::cast)
                .findFirst();
    }
}
