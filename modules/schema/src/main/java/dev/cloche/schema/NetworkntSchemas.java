package dev.cloche.schema;

import com.networknt.schema.Error;
import com.networknt.schema.Schema;
import com.networknt.schema.SchemaLocation;
import com.networknt.schema.SchemaRegistry;
import com.networknt.schema.SchemaRegistryConfig;
import com.networknt.schema.SpecificationVersion;
import com.networknt.schema.dialect.Dialect;
import com.networknt.schema.dialect.Dialects;
import dev.cloche.process.Json;
import dev.cloche.process.ProcessException;
import dev.cloche.process.schema.PayloadSchemas;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Keeps the JSON Schemas of event types, compiled once, by the library of networknt. Nothing is ever fetched for a schema, and one that could keep a thread busy is
 * refused ({@link SchemaGuard}) or stopped ({@link BudgetedRegex}, {@link BoundedReference}). Thread-safe.
 */
@SuppressWarnings("exports") // Only the registry uses it.
public final class NetworkntSchemas implements PayloadSchemas {
    private static final int MOST = 256;

    private static final class Trees {
        static final JsonMapper MAPPER = new JsonMapper();
    }

    /** Loaded with the first schema: most processes have none, and the library brings a logger that complains. */
    private static final class Compiler {
        static final SchemaRegistry REGISTRY = SchemaRegistry.withDialect(
                Dialect.builder(Dialects.getDraft202012())
                        .keyword(new BoundedReference())
                        .build(),
                builder -> builder.schemaCacheEnabled(false)
                        .schemaLoader(
                                loader -> loader.fetchRemoteResources(false).block(_ -> true))
                        .schemaRegistryConfig(SchemaRegistryConfig.builder()
                                .failFast(true)
                                .formatAssertionsEnabled(false)
                                .regularExpressionFactory(BudgetedRegex::new)
                                .build()));
    }

    /** Says what schemas themselves have to keep to; it is in the library's jar. Loaded with the first schema. */
    private static final class Meta {
        static final Schema SCHEMA = SchemaRegistry.withDefaultDialect(
                        SpecificationVersion.DRAFT_2020_12,
                        builder -> builder.schemaLoader(loader -> loader.fetchRemoteResources(false)))
                .getSchema(SchemaLocation.of(SpecificationVersion.DRAFT_2020_12.getDialectId()));
    }

    private final Map<Json, Schema> compiled = new LinkedHashMap<>(16, 0.75f, true) {
        @Override
        protected boolean removeEldestEntry(Map.Entry<Json, Schema> eldest) {
            return size() > MOST;
        }
    };

    /** Begins without a schema; the registry makes one through {@link java.util.ServiceLoader}. */
    public NetworkntSchemas() {}

    @Override
    public void require(Json schema) {
        var _ = compile(schema);
    }

    @Override
    public void check(String type, Json schema, Json payload) {
        List<Error> errors;
        try {
            Schema compiledSchema = compile(schema);
            errors = BoundedReference.counted(() -> compiledSchema.validate(node(payload)));
        } catch (BoundedReference.Exceeded e) {
            throw new ProcessException.PayloadInvalid(type, "its schema leads through it in too many ways");
        } catch (BudgetedRegex.Exceeded e) {
            throw new ProcessException.PayloadInvalid(type, "a pattern takes too long to try");
        } catch (StackOverflowError e) {
            throw new ProcessException.PayloadInvalid(type, "it is too deep to be checked");
        }
        if (!errors.isEmpty()) {
            throw new ProcessException.PayloadInvalid(type, errors.getFirst().toString());
        }
    }

    /** Returns what the library takes, a tree of its own for every caller. */
    static JsonNode node(Json json) {
        return Trees.MAPPER.readTree(json.text());
    }

    private Schema compile(Json schema) {
        synchronized (compiled) {
            Schema known = compiled.get(schema);
            if (known != null) {
                return known;
            }
        }
        Schema made;
        try {
            SchemaGuard.require(schema);
            List<Error> errors = Meta.SCHEMA.validate(node(schema));
            if (!errors.isEmpty()) {
                throw new ProcessException.Invalid("an event type's schema is none: " + errors.getFirst());
            }
            made = Compiler.REGISTRY.getSchema(node(schema));
            // References are looked up at the first use unless they are asked for.
            made.initializeValidators();
        } catch (ProcessException.Invalid e) {
            throw e;
        } catch (LinkageError e) {
            throw new ProcessException.Invalid(
                    "an event type's schema cannot be used: this program has a library of cloche-schema in a version that"
                            + " does not fit the others, such as jackson-annotations before 2.21 (" + e + ")");
        } catch (RuntimeException | StackOverflowError e) {
            throw new ProcessException.Invalid("an event type's schema cannot be used: " + e.getMessage());
        }
        synchronized (compiled) {
            compiled.put(schema, made);
        }
        return made;
    }
}
