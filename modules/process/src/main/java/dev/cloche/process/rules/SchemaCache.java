package dev.cloche.process.rules;

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
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Keeps the JSON Schemas of event types, compiled once. Nothing is ever fetched for a schema, and one that could keep a thread busy is
 * refused ({@link SchemaGuard}) or stopped ({@link BudgetedRegex}, {@link BoundedReference}). Thread-safe.
 */
public final class SchemaCache {
    private static final int MOST = 256;

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

    /**
     * Compiles a schema, to be used later.
     *
     * @throws ProcessException.Invalid if it is no schema that can be used
     */
    public void require(Json schema) {
        var _ = compile(schema);
    }

    /** @throws ProcessException.PayloadInvalid if the payload breaks the schema */
    void check(String type, Json schema, Json payload) {
        List<Error> errors;
        try {
            Schema compiledSchema = compile(schema);
            errors = BoundedReference.counted(() -> compiledSchema.validate(payload.node()));
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

    private Schema compile(Json schema) {
        synchronized (compiled) {
            Schema known = compiled.get(schema);
            if (known != null) {
                return known;
            }
        }
        SchemaGuard.require(schema);
        Schema made;
        try {
            List<Error> errors = Meta.SCHEMA.validate(schema.node());
            if (!errors.isEmpty()) {
                throw new ProcessException.Invalid("an event type's schema is none: " + errors.getFirst());
            }
            made = Compiler.REGISTRY.getSchema(schema.node());
            // References are looked up at the first use unless they are asked for.
            made.initializeValidators();
        } catch (ProcessException.Invalid e) {
            throw e;
        } catch (RuntimeException | StackOverflowError e) {
            throw new ProcessException.Invalid("an event type's schema cannot be used: " + e.getMessage());
        }
        synchronized (compiled) {
            compiled.put(schema, made);
        }
        return made;
    }
}
