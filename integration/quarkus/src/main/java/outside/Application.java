package outside;

import dev.cloche.Cloche;
import dev.cloche.ClocheOptions;
import dev.cloche.ExecResult;
import dev.cloche.Sandbox;
import io.quarkus.runtime.QuarkusApplication;
import io.quarkus.runtime.annotations.QuarkusMain;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.inject.Disposes;
import jakarta.enterprise.inject.Produces;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;

/** Runs a script in a sandbox of a bean. */
@QuarkusMain
public class Application implements QuarkusApplication {
    @Inject
    Scripts scripts;

    /** Has a Cloche as long as the application runs; final classes are singletons, for they have no proxies. */
    @ApplicationScoped
    static class Beans {
        @Produces
        @Singleton
        Cloche cloche() {
            return Cloche.openOnFirstUse(ClocheOptions.ofEnvironment());
        }

        void close(@Disposes Cloche cloche) {
            cloche.close();
        }
    }

    @ApplicationScoped
    static class Scripts {
        @Inject
        Cloche cloche;

        String run(String script) {
            try (Sandbox sandbox = cloche.sandbox("base").memoryMib(256).start()) {
                ExecResult result = sandbox.exec("sh", "-c", script);
                return result.stdoutText() + result.exitCode();
            }
        }
    }

    @Override
    public int run(String... arguments) {
        String answer = scripts.run("echo $((6 * 7)); exit 3");
        if (!answer.equals("42\n3")) {
            throw new AssertionError(answer);
        }
        System.out.println("as it should be");
        return 0;
    }
}
