package dev.cloche.spring;

import dev.cloche.Cloche;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.context.properties.source.ConfigurationPropertyState;
import org.springframework.context.ApplicationContext;
import org.springframework.context.SmartLifecycle;

/**
 * Opens Cloche and sets its pools on a thread of its own, while the application makes its other beans. The start of the
 * application waits for that before a web server answers, and fails with it.
 */
final class ClocheOpening implements SmartInitializingSingleton, SmartLifecycle {
    /** Before a web server, which Spring Boot starts at {@code DEFAULT_PHASE - 2048}, and stopped after it. */
    private static final int BEFORE_WEB_SERVERS = DEFAULT_PHASE - 4096;

    private static final ConfigurationPropertyName POOLS = ConfigurationPropertyName.of("cloche.pools");

    private final ApplicationContext context;
    private @Nullable Thread thread;
    private volatile @Nullable Throwable failure;
    private volatile boolean running;

    ClocheOpening(ApplicationContext context) {
        this.context = context;
    }

    /** Opens it: in the background while the application starts, at once if it runs already. */
    synchronized void begin(Cloche begun, List<ClocheCustomizer> told) {
        if (running) {
            open(begun, told);
            return;
        }
        thread = Thread.ofPlatform().daemon().name("cloche-opening").start(() -> {
            try {
                open(begun, told);
            } catch (Throwable e) {
                failure = e;
            }
        });
    }

    private void open(Cloche begun, List<ClocheCustomizer> told) {
        begun.ensureOpen();
        told.forEach(customizer -> customizer.opened(begun));
        if (mayHavePools()) {
            properties().pools().forEach(pool -> pool.set(begun.pools()));
        }
    }

    private ClocheProperties properties() {
        return context.getBean(ClocheProperties.class);
    }

    /** Looks for names alone, which costs far less than to bind what most applications do not have. */
    private boolean mayHavePools() {
        for (ConfigurationPropertySource source : ConfigurationPropertySources.get(context.getEnvironment())) {
            if (source.containsDescendantOf(POOLS) != ConfigurationPropertyState.ABSENT
                    || source.getConfigurationProperty(POOLS) != null) {
                return true;
            }
        }
        return false;
    }

    /** Has pools set although no bean needs it. */
    @Override
    public void afterSingletonsInstantiated() {
        if (!mayHavePools() || properties().pools().isEmpty()) {
            return;
        }
        Cloche needed = context.getBean(Cloche.class);
        if (!hasBegun()) { // It is one of the application's own.
            begin(needed, List.of());
        }
    }

    private synchronized boolean hasBegun() {
        return thread != null;
    }

    @Override
    public void start() {
        await();
        running = true;
    }

    private synchronized void await() {
        if (thread == null) {
            return;
        }
        boolean interrupted = false;
        while (thread.isAlive()) {
            try {
                thread.join();
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        switch (failure) {
            case null -> {}
            case RuntimeException e -> throw e;
            case Error e -> throw e;
            case Throwable e -> throw new IllegalStateException(e);
        }
    }

    /** Does nothing: the bean is closed after those that need it. */
    @Override
    public void stop() {
        running = false;
    }

    @Override
    public boolean isRunning() {
        return running;
    }

    @Override
    public int getPhase() {
        return BEFORE_WEB_SERVERS;
    }
}
