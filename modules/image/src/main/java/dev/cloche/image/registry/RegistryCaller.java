package dev.cloche.image.registry;

import dev.cloche.base.Deadline;
import dev.cloche.image.PullEvent;
import dev.cloche.image.PullFailed;
import dev.cloche.image.PullListener;
import dev.cloche.image.RegistryOptions;
import java.io.IOException;
import java.net.ConnectException;
import java.net.URI;
import java.net.http.HttpHeaders;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.TimeUnit;

/**
 * Asks one registry for one purpose, and owns what every question needs: authentication, retries and the words for what
 * fails. Thread-safe. It lives as long as a pull.
 */
public final class RegistryCaller implements AutoCloseable {
    private static final int REQUEST_TIMEOUT = 408;
    private static final int TOO_MANY_REQUESTS = 429;

    private final RegistryHost registry;
    private final RegistryOptions options;
    private final Deadline deadline;
    private final RegistryHttp http;
    private final RegistryAccess access;
    private final PullListener listener;

    /**
     * @param scope what tokens are for, if the registry does not say; may be empty
     * @param listener hears of long waits and of further tries
     */
    public RegistryCaller(
            RegistryHost registry, String scope, RegistryOptions options, Deadline deadline, PullListener listener) {
        this.listener = listener;
        this.registry = registry;
        this.options = options;
        this.deadline = deadline;
        this.http = new RegistryHttp(registry, options, deadline, listener);
        this.access = new RegistryAccess(scope);
    }

    static RegistryCaller forRepository(
            RegistryHost registry,
            String repository,
            RegistryOptions options,
            Deadline deadline,
            PullListener listener) {
        return new RegistryCaller(registry, "repository:" + repository + ":pull", options, deadline, listener);
    }

    int attempts() {
        return options.attempts();
    }

    /** Returns whether the registry has asked who we are. */
    public boolean wasAsked() {
        return !access.header().isEmpty();
    }

    /**
     * Asks until there is an answer, the attempts are used up, or the deadline passes.
     *
     * @throws PullFailed if there is none
     */
    public <T> T call(RegistryAction<T> action) {
        String used = access.header();
        Answer<T> answer = attempt(action, used);
        if (answer.status() == 401) {
            answer = attempt(action, access.answer(answer.challenge(), used, new Ways(action)));
        }
        return answer.valueOrThrow(this, action);
    }

    /** Waits before another attempt of any kind. */
    void pause(int attempt, Optional<HttpHeaders> answer) {
        Duration pause = RetryPause.before(attempt, options.firstPause(), answer);
        if (pause.toNanos() >= deadline.remainingNanos()) {
            throw failed(PullFailed.Reason.GAVE_UP, "the deadline passes before the next try");
        }
        try {
            TimeUnit.NANOSECONDS.sleep(pause.toNanos());
        } catch (InterruptedException e) {
            throw interrupted(e);
        }
    }

    private record Answer<T>(int status, Optional<T> value, Optional<Challenge> challenge) {
        T valueOrThrow(RegistryCaller caller, RegistryAction<T> action) {
            return value.orElseThrow(() -> caller.refused(action, status, Optional.empty()));
        }
    }

    private <T> Answer<T> attempt(RegistryAction<T> action, String authorization) {
        for (int attempt = 1; ; attempt++) {
            Optional<HttpHeaders> answer = Optional.empty();
            PullFailed failure;
            try {
                if (deadline.passed()) {
                    throw failed(PullFailed.Reason.GAVE_UP, "the deadline has passed");
                }
                RegistryResponse response = http.send(action, authorization);
                int status = response.status();
                if (action.answers(status)) {
                    return new Answer<>(status, Optional.of(action.read(response)), Optional.empty());
                }
                response.body().close();
                if (!passes(status)) {
                    return new Answer<>(status, Optional.empty(), challenge(action, response));
                }
                answer = Optional.of(response.headers());
                failure = refused(action, status, answer);
            } catch (InvalidResponse e) {
                throw failed(e.reason(), String.valueOf(e.getMessage()));
            } catch (IOException e) {
                if (Thread.currentThread().isInterrupted()) {
                    throw interrupted(e);
                }
                failure = unreachable(action.describe(), e);
            } catch (InterruptedException e) {
                throw interrupted(e);
            }
            if (attempt >= options.attempts() || RetryPause.tooLong(answer)) {
                throw failure;
            }
            again(failure, attempt);
            pause(attempt, answer);
        }
    }

    /** Says that what failed is tried again; of a connection that did not come about only the last failure is told, soon. */
    void again(PullFailed failure, int attempt) {
        if (failure.getCause() instanceof ConnectException) {
            return;
        }
        listener.on(new PullEvent.Warning(registry.name() + ": " + failure.what() + "; trying again, " + (attempt + 1)
                + " of " + options.attempts()));
    }

    /** Returns whether the same question may be answered later. */
    private static boolean passes(int status) {
        return status == REQUEST_TIMEOUT || status == TOO_MANY_REQUESTS || status >= 500;
    }

    /** Returns only the registry's own challenge: a host that it redirects to must not ask for its password. */
    private Optional<Challenge> challenge(RegistryAction<?> action, RegistryResponse response) {
        return http.fromTarget(action, response)
                ? Challenge.choose(response.headers().allValues("WWW-Authenticate"))
                : Optional.empty();
    }

    /** Says what {@link RegistryAccess} needs to answer the refusal of an action. */
    private final class Ways implements RegistryAccess.Ways {
        private final RegistryAction<?> action;

        private Ways(RegistryAction<?> action) {
            this.action = action;
        }

        @Override
        public String token(FetchToken fetch) {
            return attempt(fetch, fetch.authorization()).valueOrThrow(RegistryCaller.this, fetch);
        }

        @Override
        public Optional<Credential> login() {
            try {
                return new Logins(options.logins()).find(registry.name(), deadline);
            } catch (LoginsUnreadable e) {
                throw failed(PullFailed.Reason.LOGIN_UNREADABLE, String.valueOf(e.getMessage()));
            } catch (InterruptedException e) {
                throw interrupted(e);
            }
        }

        @Override
        public URI realm(String address) {
            try {
                return http.tokenServer(address);
            } catch (InvalidResponse e) {
                throw failed(e.reason(), "its token server cannot be asked: " + e.getMessage());
            }
        }

        @Override
        public PullFailed refused() {
            return RegistryCaller.this.refused(action, 401, Optional.empty());
        }
    }

    private PullFailed refused(RegistryAction<?> action, int status, Optional<HttpHeaders> answer) {
        PullFailed.Reason reason = switch (status) {
            case 401, 403 -> PullFailed.Reason.UNAUTHORIZED;
            case 404 -> PullFailed.Reason.NOT_FOUND;
            case TOO_MANY_REQUESTS -> PullFailed.Reason.RATE_LIMITED;
            default -> PullFailed.Reason.SERVER_ERROR;
        };
        String what = switch (reason) {
            case NOT_FOUND -> "it could not " + action.describe() + ": not found";
            case RATE_LIMITED ->
                "it was asked too often to " + action.describe()
                        + answer.flatMap(RetryPause::asked)
                                .map(wait -> " and wants to be left alone for " + wait.toSeconds() + " s")
                                .orElse("");
            default -> "it refused to " + action.describe();
        };
        return new PullFailed(reason, registry.name(), OptionalInt.of(status), what, null);
    }

    PullFailed unreachable(String what, IOException cause) {
        return new PullFailed(
                deadline.passed() ? PullFailed.Reason.GAVE_UP : PullFailed.Reason.UNREACHABLE,
                registry.name(),
                OptionalInt.empty(),
                "could not " + what + ": " + RegistryHttp.wording(cause),
                cause);
    }

    private PullFailed failed(PullFailed.Reason reason, String what) {
        return new PullFailed(reason, registry.name(), what);
    }

    private PullFailed interrupted(Exception cause) {
        Thread.currentThread().interrupt();
        return new PullFailed(
                PullFailed.Reason.GAVE_UP, registry.name(), OptionalInt.empty(), "it was interrupted", cause);
    }

    @Override
    public void close() {
        http.close();
    }
}
