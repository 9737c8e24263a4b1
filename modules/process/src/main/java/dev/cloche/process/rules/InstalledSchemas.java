package dev.cloche.process.rules;

import dev.cloche.process.Json;
import dev.cloche.process.ProcessException;
import dev.cloche.process.schema.PayloadSchemas;
import java.util.Optional;
import java.util.ServiceLoader;

/** Leaves schemas to the artefact {@code cloche-schema}, which an application has if it wants them. Thread-safe. */
public final class InstalledSchemas {
    /** Loaded with the first schema: most programs never see one. */
    private static final class Found {
        static final Optional<PayloadSchemas> SCHEMAS = ServiceLoader.load(
                        PayloadSchemas.class, PayloadSchemas.class.getClassLoader())
                .findFirst();
    }

    private InstalledSchemas() {}

    /**
     * Accepts a schema, to be used later.
     *
     * @throws ProcessException.SchemasMissing if the artefact is absent
     * @throws ProcessException.Invalid if it is no schema that can be used
     */
    public static void require(Json schema) {
        found().require(schema);
    }

    /**
     * Checks a payload.
     *
     * @throws ProcessException.SchemasMissing if the artefact is absent
     * @throws ProcessException.PayloadInvalid if the payload breaks the schema
     */
    static void check(String type, Json schema, Json payload) {
        found().check(type, schema, payload);
    }

    private static PayloadSchemas found() {
        return Found.SCHEMAS.orElseThrow(ProcessException.SchemasMissing::new);
    }
}
