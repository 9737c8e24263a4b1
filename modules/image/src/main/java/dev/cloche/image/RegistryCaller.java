package dev.cloche.image;

import dev.cloche.base.Deadline;
import java.io.IOException;
import java.net.ConnectException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpHeaders;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.channels.UnresolvedAddressException;
import java.time.Duration;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Asks one registry about one repository, and owns what every question needs: authentication, retries and redirects.
 * Thread-safe. It lives as long as a pull.
 */
final class RegistryCaller implements AutoCloseable {
    private static final Duration CONNECT = Duration.ofSeconds(20);
    private static final int MOST_REDIRECTS = 5;

    private final RegistryHost registry;
    private final String repository;
    private final RegistryOptions options;
    private final Deadline deadline;
    private final HttpClient client;
    private final AtomicReference<String> authorization = new AtomicReference<>("");

    RegistryCaller(RegistryHost registry, String repository, RegistryOptions options, Deadline deadline) {
        this.registry = registry;
        this.repository = repository;
        this.options = options;
        this.deadline = deadline;
        this.client = HttpClient.newBuilder()
                .connectTimeout(CONNECT)
                // By hand below: the JDK would forward the Authorization header to wherever it is sent.
                .followRedirects(HttpClient.Redirect.NEVER)
                .build();
    }

    String registry() {
        return registry.name();
    }

    int attempts() {
        return options.attempts();
    }

    Deadline deadline() {
        return deadline;
    }

    /**
     * Asks until there is an answer, the attempts are used up, or the deadline passes.
     *
     * @throws PullFailed if there is none
     */
    <T> T call(RegistryAction<T> action) {
        String used = authorization.get();
        Answer<T> answer = attempt(action, used);
        if (answer.status() == 401) {
            String fresh = authenticate(action, answer.challenge());
            authorization.compareAndSet(used, fresh);
            answer = attempt(action, fresh);
        }
        return answer.valueOrThrow(this, action);
    }

    /** Waits before another attempt of whatever kind. */
    void pause(int attempt, Optional<HttpHeaders> answer) {
        Duration pause = RetryPause.before(attempt, options.firstPause(), answer);
        if (pause.toNanos() >= deadline.remainingNanos()) {
            throw new PullFailed(PullFailed.Reason.GAVE_UP, registry.name(), "the deadline passes before the next try");
        }
        try {
            TimeUnit.NANOSECONDS.sleep(pause.toNanos());
        } catch (InterruptedException e) {
            throw interrupted(e);
        }
    }

    private record Answer<T>(int status, Optional<T> value, Optional<Challenge> challenge) {
        T valueOrThrow(RegistryCaller caller, RegistryAction<T> action) {
            return value.orElseThrow(() -> caller.refused(action, status));
        }
    }

    private <T> Answer<T> attempt(RegistryAction<T> action, String header) {
        for (int attempt = 1; ; attempt++) {
            Optional<HttpHeaders> answer = Optional.empty();
            PullFailed failure;
            try {
                HttpResponse<ResponseBody> response = send(action, header);
                int status = response.statusCode();
                if (action.answers(status)) {
                    return new Answer<>(status, Optional.of(action.read(response)), Optional.empty());
                }
                response.body().close();
                if (status != 429 && status < 500) {
                    return new Answer<>(status, Optional.empty(), challenge(action, response));
                }
                answer = Optional.of(response.headers());
                failure = refused(action, status);
            } catch (IOException e) {
                if (Thread.currentThread().isInterrupted()) {
                    throw interrupted(e);
                }
                failure = unreachable(action.describe(), e);
            } catch (InterruptedException e) {
                throw interrupted(e);
            }
            if (attempt >= options.attempts()) {
                throw failure;
            }
            pause(attempt, answer);
        }
    }

    /** Only the registry's own: whoever it redirects to must not ask for its password. */
    private Optional<Challenge> challenge(RegistryAction<?> action, HttpResponse<ResponseBody> response) {
        return sameOrigin(action.target(registry.base()), response.uri())
                ? Challenge.choose(response.headers().allValues("WWW-Authenticate"))
                : Optional.empty();
    }

    private HttpResponse<ResponseBody> send(RegistryAction<?> action, String header)
            throws IOException, InterruptedException {
        URI origin = action.target(registry.base());
        URI target = origin;
        for (int redirects = 0; ; redirects++) {
            HttpRequest.Builder request = HttpRequest.newBuilder(target).GET();
            action.headers().forEach(request::setHeader);
            if (!header.isEmpty() && sameOrigin(origin, target)) {
                request.setHeader("Authorization", header);
            }
            if (deadline.passed()) {
                throw new PullFailed(PullFailed.Reason.GAVE_UP, registry.name(), "the deadline has passed");
            }
            request.timeout(Duration.ofNanos(deadline.orAfter(options.stall()).remainingNanos() + 1));
            HttpResponse<ResponseBody> response =
                    client.send(request.build(), _ -> new ResponseBody(options.stall(), deadline));
            Optional<String> location = response.headers().firstValue("Location");
            if (!isRedirect(response.statusCode()) || location.isEmpty()) {
                return response;
            }
            response.body().close();
            if (redirects == MOST_REDIRECTS) {
                throw new PullFailed(
                        PullFailed.Reason.SERVER_ERROR,
                        registry.name(),
                        "it redirects more than " + redirects + " times");
            }
            target = allowed(target, location.get());
        }
    }

    /** Where a redirect leads, unless that is to give up TLS or to leave HTTP. */
    private URI allowed(URI from, String location) {
        try {
            return permitted(from.resolve(location));
        } catch (IllegalArgumentException e) {
            throw new PullFailed(
                    PullFailed.Reason.SERVER_ERROR,
                    registry.name(),
                    OptionalInt.empty(),
                    "its redirect is malformed",
                    e);
        }
    }

    private URI permitted(URI target) {
        String scheme = String.valueOf(target.getScheme()).toLowerCase(Locale.ROOT);
        boolean sound = target.getHost() != null && target.getUserInfo() == null;
        if (sound && (scheme.equals("https") || (scheme.equals("http") && registry.plainHttp()))) {
            return target;
        }
        throw new PullFailed(
                PullFailed.Reason.SERVER_ERROR, registry.name(), "it points to an address without TLS or host");
    }

    private String authenticate(RegistryAction<?> action, Optional<Challenge> challenge) {
        Optional<Credential> credential = credential();
        if (challenge.isPresent() && challenge.get().scheme().equals("bearer")) {
            return "Bearer " + token(challenge.get(), credential);
        }
        if (challenge.isPresent() && credential.isPresent()) {
            return credential.get().basicHeader();
        }
        throw refused(action, 401);
    }

    private String token(Challenge challenge, Optional<Credential> credential) {
        URI realm;
        try {
            realm = permitted(URI.create(challenge.parameters().getOrDefault("realm", "")));
        } catch (IllegalArgumentException e) {
            throw new PullFailed(
                    PullFailed.Reason.SERVER_ERROR, registry.name(), OptionalInt.empty(), "its realm is malformed", e);
        }
        FetchToken fetch = new FetchToken(
                realm,
                challenge.parameters().getOrDefault("service", ""),
                challenge.parameters().getOrDefault("scope", "repository:" + repository + ":pull"));
        return attempt(fetch, credential.map(Credential::basicHeader).orElse(""))
                .valueOrThrow(this, fetch);
    }

    private Optional<Credential> credential() {
        try {
            return options.dockerConfig().isPresent()
                    ? Credential.find(options.dockerConfig().get(), registry.name())
                    : Optional.empty();
        } catch (IOException e) {
            throw new PullFailed(
                    PullFailed.Reason.UNAUTHORIZED,
                    registry.name(),
                    OptionalInt.empty(),
                    "the logins cannot be read: " + e.getMessage(),
                    e);
        }
    }

    private PullFailed refused(RegistryAction<?> action, int status) {
        PullFailed.Reason reason = switch (status) {
            case 401, 403 -> PullFailed.Reason.UNAUTHORIZED;
            case 404 -> PullFailed.Reason.NOT_FOUND;
            case 429 -> PullFailed.Reason.RATE_LIMITED;
            default -> PullFailed.Reason.SERVER_ERROR;
        };
        String what = switch (reason) {
            case NOT_FOUND -> "it could not " + action.describe() + ": not found";
            case RATE_LIMITED -> "it was asked too often to " + action.describe();
            default -> "it refused to " + action.describe();
        };
        return new PullFailed(reason, registry.name(), OptionalInt.of(status), what, null);
    }

    PullFailed unreachable(String what, IOException cause) {
        return new PullFailed(
                deadline.passed() ? PullFailed.Reason.GAVE_UP : PullFailed.Reason.UNREACHABLE,
                registry.name(),
                OptionalInt.empty(),
                "could not " + what + ": " + wording(cause),
                cause);
    }

    /** The JDK's client reports a refused connection and an unknown host without a message. */
    private static String wording(IOException cause) {
        if (cause.getMessage() != null) {
            return cause.getMessage();
        }
        if (cause instanceof ConnectException) {
            return cause.getCause() instanceof ConnectException below
                            && below.getCause() instanceof UnresolvedAddressException
                    ? "there is no such host"
                    : "the connection was refused";
        }
        return cause.getClass().getSimpleName();
    }

    private PullFailed interrupted(Exception cause) {
        Thread.currentThread().interrupt();
        return new PullFailed(
                PullFailed.Reason.GAVE_UP, registry.name(), OptionalInt.empty(), "it was interrupted", cause);
    }

    private static boolean isRedirect(int status) {
        return status == 301 || status == 302 || status == 303 || status == 307 || status == 308;
    }

    private static boolean sameOrigin(URI one, URI other) {
        return one.getScheme().equalsIgnoreCase(other.getScheme())
                && one.getHost().equalsIgnoreCase(other.getHost())
                && one.getPort() == other.getPort();
    }

    @Override
    public void close() {
        client.shutdownNow();
    }
}
