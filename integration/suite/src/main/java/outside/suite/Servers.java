package outside.suite;

import dev.cloche.Ready;
import dev.cloche.junit.SandboxedService;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * PostgreSQL and Redis for a class of tests: in sandboxes of its own, or those of this host, whose ports the properties
 * {@code suite.postgres} and {@code suite.redis} name. Classes run one after another.
 */
final class Servers implements BeforeAllCallback, AfterAllCallback {
    private static final boolean ON_HOST = System.getProperty("suite.postgres") != null;
    private static final SandboxedService POSTGRES = new SandboxedService("suite-postgres")
            .withExposedPorts(5432)
            .waitingFor(Ready.log("database system is ready to accept connections"))
            .withPool(1);
    private static final SandboxedService REDIS = new SandboxedService("suite-redis")
            .withExposedPorts(6379)
            .waitingFor(Ready.log("Ready to accept connections"))
            .withMemoryMib(256)
            .withPool(1);

    private static int classes;

    static int postgres() {
        return ON_HOST ? Integer.getInteger("suite.postgres") : POSTGRES.getMappedPort(5432);
    }

    static int redis() {
        return ON_HOST ? Integer.getInteger("suite.redis") : REDIS.getMappedPort(6379);
    }

    @Override
    public void beforeAll(ExtensionContext context) {
        if (!ON_HOST) {
            POSTGRES.beforeAll(context);
            REDIS.beforeAll(context);
            String kinds = kind(POSTGRES) + " " + kind(REDIS);
            if (++classes > 1 && !kinds.equals("WARM WARM")) {
                throw new IllegalStateException("the servers of class " + classes + " are " + kinds);
            }
        }
    }

    private static String kind(SandboxedService service) {
        return service.sandbox().startTimings().orElseThrow().kind().name();
    }

    @Override
    public void afterAll(ExtensionContext context) {
        if (!ON_HOST) {
            REDIS.afterAll(context);
            POSTGRES.afterAll(context);
        }
    }
}
