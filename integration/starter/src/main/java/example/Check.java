package example;

import dev.cloche.Cloche;
import dev.cloche.ClocheOptions;
import jakarta.servlet.Filter;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletRequest;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.springframework.boot.SpringApplication;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.stereotype.Component;

/** Asks the example for scripts by HTTP, and closes it while one runs. */
public class Check {
    /** Tells that the second request has come. */
    @Component
    static class Arrivals implements Filter {
        private final CountDownLatch scripts = new CountDownLatch(2);

        @Override
        public void doFilter(ServletRequest request, ServletResponse response, FilterChain chain)
                throws IOException, ServletException {
            if (((HttpServletRequest) request).getRequestURI().equals("/run")) {
                scripts.countDown();
            }
            chain.doFilter(request, response);
        }

        void awaitSecond() throws InterruptedException {
            scripts.await();
        }
    }

    public static void main(String[] args) throws Exception {
        ConfigurableApplicationContext context = SpringApplication.run(Controller.class, args);
        URI server = URI.create("http://localhost:" + context.getEnvironment().getProperty("local.server.port"));
        HttpClient client = HttpClient.newHttpClient();

        String answer = run(client, server, "echo $((6 * 7))").body();
        require(answer.contains("\"output\":\"42\\n\"") && answer.contains("\"exitCode\":0"), answer);
        String health = get(client, server, "/actuator/health");
        require(health.startsWith("{\"status\":\"UP\"") || health.contains("\"status\":\"UP\"}"), health);
        require(health.contains("\"cloche\":{") && health.contains("docker.io/library/base:latest"), health);
        String info = get(client, server, "/actuator/info");
        require(info.contains("\"cloche\":{") && info.contains("\"supported\":true"), info);
        String meters = get(client, server, "/actuator/metrics/cloche.start");
        require(meters.contains("{\"statistic\":\"COUNT\",\"value\":1.0}"), meters);
        require(get(client, server, "/actuator/metrics/cloche.images").contains("\"value\":1.0"), "images");

        // A request that is under way is answered; then all ends.
        CompletableFuture<HttpResponse<String>> last = CompletableFuture.supplyAsync(() -> {
            try {
                return run(client, server, "sleep 1; echo late");
            } catch (IOException | InterruptedException e) {
                throw new IllegalStateException(e);
            }
        });
        context.getBean(Arrivals.class).awaitSecond();
        context.close();
        String late = last.get().body();
        require(late.contains("\"output\":\"late\\n\""), late);
        try (Cloche after = Cloche.open(ClocheOptions.ofEnvironment())) {
            require(after.sandboxes().list().size(), 0);
            after.pools().pool("base").memoryMib(256).remove();
            require(after.unrecordedVms().size(), 0);
        }
        System.out.println("as it should be");
    }

    private static HttpResponse<String> run(HttpClient client, URI server, String script)
            throws IOException, InterruptedException {
        HttpRequest request = HttpRequest.newBuilder(server.resolve("/run"))
                .header("Content-Type", "text/plain")
                .POST(BodyPublishers.ofString(script))
                .build();
        return client.send(request, BodyHandlers.ofString());
    }

    private static String get(HttpClient client, URI server, String path) throws IOException, InterruptedException {
        return client.send(HttpRequest.newBuilder(server.resolve(path)).build(), BodyHandlers.ofString())
                .body();
    }

    private static void require(Object actual, Object expected) {
        if (!actual.equals(expected)) {
            throw new AssertionError(actual + " for " + expected);
        }
    }

    private static void require(boolean holds, String text) {
        if (!holds) {
            throw new AssertionError(text);
        }
    }
}
