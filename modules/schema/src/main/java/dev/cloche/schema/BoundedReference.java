package dev.cloche.schema;

import com.networknt.schema.ExecutionContext;
import com.networknt.schema.Schema;
import com.networknt.schema.SchemaContext;
import com.networknt.schema.SchemaLocation;
import com.networknt.schema.keyword.Keyword;
import com.networknt.schema.keyword.KeywordValidator;
import com.networknt.schema.keyword.RefValidator;
import com.networknt.schema.path.NodePath;
import java.util.function.Supplier;
import tools.jackson.databind.JsonNode;

/**
 * The keyword {@code $ref}, counted: a schema that refers to itself can have the same part of a payload looked at along
 * more and more ways, so that the time grows exponentially with the payload's depth. Stateless.
 */
final class BoundedReference implements Keyword {
    private static final int MOST = 100_000;
    private static final ScopedValue<int[]> FOLLOWED = ScopedValue.newInstance();

    /** Runs a check with references of its own. */
    static <T> T counted(Supplier<T> check) {
        return ScopedValue.where(FOLLOWED, new int[1]).call(check::get);
    }

    /** The check follows too many references. */
    static final class Exceeded extends RuntimeException {
        Exceeded() {
            super("a schema followed more than " + MOST + " references", null, false, false);
        }
    }

    @Override
    public String getValue() {
        return "$ref";
    }

    @Override
    public KeywordValidator newValidator(SchemaLocation location, JsonNode node, Schema parent, SchemaContext context) {
        return new Counting(location, node, parent, context);
    }

    private static final class Counting extends RefValidator {
        Counting(SchemaLocation location, JsonNode node, Schema parent, SchemaContext context) {
            super(location, node, parent, context);
        }

        @Override
        public void validate(ExecutionContext execution, JsonNode node, JsonNode root, NodePath place) {
            if (++FOLLOWED.get()[0] > MOST) {
                throw new Exceeded();
            }
            super.validate(execution, node, root, place);
        }
    }
}
