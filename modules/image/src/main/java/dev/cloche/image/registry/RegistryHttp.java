package dev.cloche.image.registry;

import dev.cloche.base.Deadline;
import dev.cloche.image.PullEvent;
import dev.cloche.image.PullFailed;
import dev.cloche.image.PullListener;
import dev.cloche.image.RegistryOptions;
import java.io.IOException;
import java.net.ConnectException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.channels.UnresolvedAddressException;
import java.time.Duration;
import java.util.Locale;
import java.util.Optional;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import org.jspecify.annotations.Nullable;

/**
 * Sends requests and follows redirects, by hand: the JDK would forward the Authorization header to wherever it is sent.
 * Thread-safe.
 */
public final class RegistryHttp implements AutoCloseable {
    private static final Duration CONNECT = Duration.ofSeconds(20);
    private static final int MOST_REDIRECTS = 5;

    private final RegistryHost registry;
    private final RegistryOptions options;
    private final Deadline deadline;
    private final PullListener listener;
    private final Optional<SSLContext> authorities;
    private @Nullable HttpClient plain;
    private @Nullable HttpClient secure;

    /** @throws PullFailed if the certificates that options name cannot be used */
    public RegistryHttp(RegistryHost registry, RegistryOptions options, Deadline deadline, PullListener listener) {
        this.listener = listener;
        this.registry = registry;
        this.options = options;
        this.deadline = deadline;
        this.authorities = options.authorities().isEmpty() ? Optional.empty() : Optional.of(trust());
    }

    private SSLContext trust() {
        try {
            return RegistryTrust.with(options.authorities());
        } catch (IOException e) {
            throw new PullFailed(PullFailed.Reason.BAD_SETTINGS, registry.name(), String.valueOf(e.getMessage()));
        }
    }

    /**
     * Asks once, and follows where it is sent. The header goes to the target's own origin and nowhere else.
     *
     * @throws InvalidResponse if it is sent to where it must not go
     */
    RegistryResponse send(RegistryAction<?> action, String authorization) throws IOException, InterruptedException {
        URI origin = action.target(registry.base());
        URI target = origin;
        for (int redirects = 0; ; redirects++) {
            HttpRequest.Builder request = HttpRequest.newBuilder(target);
            action.headers().forEach(request::setHeader);
            action.form()
                    .ifPresent(form -> request.setHeader("Content-Type", "application/x-www-form-urlencoded")
                            .POST(HttpRequest.BodyPublishers.ofString(form)));
            if (!authorization.isEmpty() && sameOrigin(origin, target)) {
                request.setHeader("Authorization", authorization);
            }
            request.timeout(Duration.ofNanos(deadline.orAfter(options.stall()).remainingNanos() + 1));
            RegistryResponse response = exchange(request.build());
            Optional<String> location = response.headers().firstValue("Location");
            if (!isRedirect(response.status()) || location.isEmpty()) {
                return response;
            }
            response.body().close();
            if (action.form().isPresent()) {
                throw bad("it redirects a request that has a secret");
            }
            if (redirects == MOST_REDIRECTS) {
                throw bad("it redirects more than " + redirects + " times");
            }
            target = permitted(target, location.get());
        }
    }

    private RegistryResponse exchange(HttpRequest request) throws IOException, InterruptedException {
        RegistryResponse.Receiver receiver =
                new RegistryResponse.Receiver(request.uri(), new ResponseBody(options.stall(), deadline, this::silent));
        try (SlowWaitNotice _ = SlowWaitNotice.after(noticed(options.stall()), this::silent)) {
            HttpResponse<ResponseBody> response = client(request.uri()).send(request, receiver);
            return new RegistryResponse(response.statusCode(), response.headers(), request.uri(), response.body());
        } catch (IOException e) {
            return receiver.after(e);
        }
    }

    /** After so much of the silence that is allowed, a person wonders. */
    static Duration noticed(Duration stall) {
        return stall.dividedBy(4);
    }

    private void silent() {
        listener.on(new PullEvent.Warning(registry.name() + " has sent nothing for "
                + noticed(options.stall()).toSeconds() + " s; it has "
                + options.stall().toSeconds() + " s"));
    }

    /** Returns whether the answer came from where the question went, and not from where that redirects to. */
    boolean fromTarget(RegistryAction<?> action, RegistryResponse response) {
        return sameOrigin(action.target(registry.base()), response.from());
    }

    /** Returns the address of the token server that the registry names; it has to be whole. */
    URI tokenServer(String address) throws InvalidResponse {
        if (!address.contains("://")) {
            throw bad("it points to no address");
        }
        return permitted(registry.base(), address);
    }

    /**
     * Returns an address that a registry names, unless that is to give up TLS or to leave HTTP.
     *
     * @param from the address of who names it
     */
    public URI permitted(URI from, String address) throws InvalidResponse {
        URI target;
        try {
            target = from.resolve(address);
        } catch (IllegalArgumentException e) {
            throw bad("it points to a malformed address");
        }
        String scheme = String.valueOf(target.getScheme()).toLowerCase(Locale.ROOT);
        if (target.getHost() == null || target.getUserInfo() != null) {
            throw bad("it points to an address without a host");
        }
        boolean plain = scheme.equals("http")
                && from.getScheme().equalsIgnoreCase("http")
                && RegistryHost.mayBePlain(target.getRawAuthority(), options.plainHttp());
        if (!plain && !scheme.equals("https")) {
            throw bad("it points to an address without TLS");
        }
        return target;
    }

    /** The JDK's client reports a refused connection and an unknown host without a message. */
    static String wording(IOException cause) {
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

    private static InvalidResponse bad(String what) {
        return new InvalidResponse(PullFailed.Reason.SERVER_ERROR, what);
    }

    private static boolean isRedirect(int status) {
        return status == 301 || status == 302 || status == 303 || status == 307 || status == 308;
    }

    private static boolean sameOrigin(URI one, URI other) {
        return one.getScheme().equalsIgnoreCase(other.getScheme())
                && one.getHost().equalsIgnoreCase(other.getHost())
                && one.getPort() == other.getPort();
    }

    /** One for each scheme, made when it is needed first: most registries need but one, and that of TLS is expensive. */
    private synchronized HttpClient client(URI target) {
        if (target.getScheme().equalsIgnoreCase("http")) {
            HttpClient open = plain;
            if (open == null) {
                open = client().sslContext(new DisabledTls())
                        .sslParameters(new SSLParameters())
                        .build();
                plain = open;
            }
            return open;
        }
        HttpClient open = secure;
        if (open == null) {
            HttpClient.Builder builder = client();
            authorities.ifPresent(builder::sslContext);
            open = builder.build();
            secure = open;
        }
        return open;
    }

    private static HttpClient.Builder client() {
        return HttpClient.newBuilder().connectTimeout(CONNECT).followRedirects(HttpClient.Redirect.NEVER);
    }

    @Override
    public synchronized void close() {
        if (plain != null) {
            plain.shutdownNow();
        }
        if (secure != null) {
            secure.shutdownNow();
        }
    }
}
