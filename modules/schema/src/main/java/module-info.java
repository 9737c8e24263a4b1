/** JSON Schemas of event types. */
module dev.cloche.schema {
    requires transitive dev.cloche.process;
    requires com.networknt.schema;
    requires org.jspecify;
    requires tools.jackson.core;
    requires tools.jackson.databind;

    exports dev.cloche.schema;

    provides dev.cloche.process.schema.PayloadSchemas with
            dev.cloche.schema.NetworkntSchemas;
}
