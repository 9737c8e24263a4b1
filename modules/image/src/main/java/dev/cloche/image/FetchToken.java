package dev.cloche.image;

import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * GET of a bearer token from the realm of a challenge (distribution specification, "token authentication").
 *
 * @param realm address of the token server
 * @param service the registry's name for itself; may be empty
 * @param scope what the token is for
 */
record FetchToken(URI realm, String service, String scope) implements RegistryAction<String> {
    private static final int LONGEST = 1 << 16;

    @Override
    public String describe() {
        return "get a token from " + realm.getHost();
    }

    @Override
    public URI target(URI base) {
        String query = Stream.of(Map.entry("service", service), Map.entry("scope", scope))
                .filter(p -> !p.getValue().isEmpty())
                .map(p -> p.getKey() + "=" + URLEncoder.encode(p.getValue(), StandardCharsets.UTF_8))
                .collect(Collectors.joining("&"));
        return URI.create(realm + (realm.getRawQuery() == null ? "?" : "&") + query);
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
    public String read(HttpResponse<ResponseBody> response) throws IOException {
        try (ResponseBody body = response.body()) {
            Json.Fields fields = Json.parse(body.readNBytes(LONGEST));
            return fields.text("token")
                    .or(() -> fields.text("access_token"))
                    // What could end the header and begin another is no token (RFC 6750).
                    .filter(token -> token.matches("[A-Za-z0-9._~+/-]+=*"))
                    .orElseThrow(() -> new IOException("the answer has no token"));
        } catch (Json.Malformed e) {
            throw new IOException("the token's answer is malformed: " + e.getMessage(), e);
        }
    }
}
