package dev.cloche.spring;

import dev.cloche.ClocheOptions;
import dev.cloche.image.RegistryLogin;
import dev.cloche.sandbox.TemplateMaking;
import java.nio.file.Path;
import java.util.Map;

/**
 * What properties change of options. It is a class of its own so that what it needs is loaded by applications in which a bean
 * asks for options, and not for the definition of the properties' bean.
 */
final class AppliedProperties {
    private AppliedProperties() {}

    static ClocheOptions to(ClocheOptions defaults, ClocheProperties properties) {
        ClocheOptions options = defaults;
        if (properties.home() != null) {
            options = options.withHome(properties.home());
        }
        for (Path directory : properties.share().reversed()) {
            options = options.withShare(directory);
        }
        if (properties.temporary() != null) {
            options = options.withTemporary(properties.temporary());
        }
        for (Map.Entry<String, RegistryLogin> login : properties.logins().entrySet()) {
            options = options.withLogin(login.getKey(), login.getValue());
        }
        if (properties.templates() != null) {
            options = options.withTemplateMaking(
                    switch (properties.templates()) {
                        case BACKGROUND -> new TemplateMaking.InBackground();
                        case NEVER -> new TemplateMaking.Never();
                    });
        }
        return options;
    }
}
