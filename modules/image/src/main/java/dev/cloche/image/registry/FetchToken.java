package dev.cloche.image.registry;

import dev.cloche.base.JsonValue;
import dev.cloche.image.PullFailed;
import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * Gets a bearer token from the realm of a challenge (distribution specification, "token authentication"): by GET, as an
 * anonymous user or with a password, or by POST for an identity token (the same, "OAuth 2").
 *
 * @param realm address of the token server
 * @param service the registry's name for itself; may be empty
 * @param scope what the token is for; may be empty
 * @param login the login for the registry
 */
record FetchToken(URI realm, String service, String scope, Optional<Credential> login)
        implements RegistryAction<String> {
    private static final int LONGEST = 1 << 16;

    @Override
    public String describe() {
        return "get a token from " + realm.getHost();
    }

    /** Returns the Authorization header for the token server, or nothing. */
    String authorization() {
        return login.isPresent() && login.get() instanceof Credential.Basic basic ? basic.header() : "";
    }

    @Override
    public URI target(URI base) {
        String query = form().isPresent() ? "" : encoded(parameters());
        return query.isEmpty() ? realm : URI.create(realm + (realm.getRawQuery() == null ? "?" : "&") + query);
    }

    @Override
    public Optional<String> form() {
        if (login.isPresent() && login.get() instanceof Credential.IdentityToken(String token)) {
            List<Map.Entry<String, String>> parameters = parameters();
            parameters.add(Map.entry("grant_type", "refresh_token"));
            parameters.add(Map.entry("client_id", "cloche"));
            parameters.add(Map.entry("refresh_token", token));
            return Optional.of(encoded(parameters));
        }
        return Optional.empty();
    }

    private List<Map.Entry<String, String>> parameters() {
        return new ArrayList<>(List.of(Map.entry("service", service), Map.entry("scope", scope)));
    }

    private static String encoded(List<Map.Entry<String, String>> parameters) {
        return parameters.stream()
                .filter(p -> !p.getValue().isEmpty())
                .map(p -> p.getKey() + "=" + URLEncoder.encode(p.getValue(), StandardCharsets.UTF_8))
                .collect(Collectors.joining("&"));
    }

    @Override
    public Map<String, String> headers() {
        return Map.of();
    }

    @Override
    public boolean answers(int status) {
        return status == 200;
    }

    @Override
    public String read(RegistryResponse response) throws IOException {
        try (ResponseBody body = response.body()) {
            byte[] answer = body.readNBytes(LONGEST + 1);
            if (answer.length > LONGEST) {
                throw bad("has more than " + LONGEST + " bytes");
            }
            JsonValue.Fields fields = JsonValue.parse(answer);
            return fields.text("token")
                    .or(() -> fields.text("access_token"))
                    // What could end the header and begin another is no token (RFC 6750).
                    .filter(token -> token.matches("[A-Za-z0-9._~+/-]+=*"))
                    .orElseThrow(() -> bad("has no token"));
        } catch (JsonValue.Malformed e) {
            // The parser's words quote the document.
            throw bad("is no JSON object");
        }
    }

    private InvalidResponse bad(String how) {
        return new InvalidResponse(
                PullFailed.Reason.SERVER_ERROR, "the answer of the token server " + realm.getHost() + " " + how);
    }

    @Override
    public String toString() {
        return describe();
    }
}
