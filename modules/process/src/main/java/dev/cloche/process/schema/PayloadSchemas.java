package dev.cloche.process.schema;

import dev.cloche.process.Json;
import dev.cloche.process.ProcessException;

/**
 * Checks payloads of events against the JSON Schemas of their types. An implementation is found by {@link
 * java.util.ServiceLoader}. It is safe for use from many threads, fetches nothing, and comes to an end with every schema
 * that it has accepted and every payload.
 */
public interface PayloadSchemas {
    /**
     * Accepts a schema, to be used later.
     *
     * @throws ProcessException.Invalid if it is no schema that can be used
     */
    void require(Json schema);

    /**
     * Checks a payload.
     *
     * @param type the name of the event's type, for the message
     * @throws ProcessException.PayloadInvalid if the payload breaks the schema
     * @throws ProcessException.Invalid if it is no schema that can be used
     */
    void check(String type, Json schema, Json payload);
}
