package dev.cloche.image.registry;

import java.net.URI;
import java.util.Map;

/** GET {@code /v2/}: whether the registry speaks the protocol, and takes the login. */
public record RegistryPing() implements RegistryAction<Boolean> {
    @Override
    public String describe() {
        return "log in";
    }

    @Override
    public URI target(URI base) {
        return base.resolve("/v2/");
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
    public Boolean read(RegistryResponse response) {
        response.body().close();
        return true;
    }
}
