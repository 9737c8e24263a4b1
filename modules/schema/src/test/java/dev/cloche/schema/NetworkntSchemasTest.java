package dev.cloche.schema;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpServer;
import dev.cloche.process.Json;
import dev.cloche.process.ProcessException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.concurrent.atomic.AtomicInteger;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class NetworkntSchemasTest {
    private final NetworkntSchemas schemas = new NetworkntSchemas();

    private void check(String schema, String payload) {
        schemas.check("t", Json.parse(schema), Json.parse(payload));
    }

    @Test
    void payloadsAreHeldAgainstTheirSchema() {
        String schema = "{\"type\":\"object\",\"properties\":{\"n\":{\"$ref\":\"#/$defs/small\"}},"
                + "\"$defs\":{\"small\":{\"type\":\"integer\",\"maximum\":9}},\"additionalProperties\":false}";
        assertThatCode(() -> check(schema, "{\"n\":9}")).doesNotThrowAnyException();
        for (String wrong : new String[] {"{\"n\":10}", "{\"n\":\"x\"}", "{\"m\":1}", "[]"}) {
            assertThatThrownBy(() -> check(schema, wrong)).isInstanceOf(ProcessException.PayloadInvalid.class);
        }
        assertThatThrownBy(() -> check("false", "1")).isInstanceOf(ProcessException.PayloadInvalid.class);
        assertThatCode(() -> check("true", "1")).doesNotThrowAnyException();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "1",
                "[]",
                "{\"type\":\"nonsense\"}",
                "{\"$ref\":\"file:///etc/passwd\"}",
                "{\"$ref\":\"other.json\"}",
                "{\"$ref\":\"#anchor\"}",
                "{\"$ref\":\"#/nowhere\"}",
                "{\"$ref\":\"#\"}",
                "{\"allOf\":[{\"not\":{\"$ref\":\"#\"}}]}",
                "{\"dependentSchemas\":{\"a\":{\"$ref\":\"#\"}}}",
                "{\"$defs\":{\"a\":{\"items\":{\"$ref\":\"#/$defs/b\"},\"anyOf\":[{\"$ref\":\"#/$defs/b\"}]},"
                        + "\"b\":{\"if\":{\"$ref\":\"#/$defs/a\"}}},\"$ref\":\"#/$defs/a\"}",
                "{\"$defs\":{\"a\":{\"$ref\":\"#/$defs/b\"},\"b\":{\"$ref\":\"#/$defs/a\"}},\"$ref\":\"#/$defs/a\"}",
                "{\"$dynamicRef\":\"#\"}",
                "{\"$id\":\"http://127.0.0.1/\",\"type\":\"object\"}",
                "{\"$schema\":\"http://example.com/own\"}",
                "{\"pattern\":\"(\"}"
            })
    void aSchemaThatReachesOutComesToNoEndOrIsNoneIsRefused(String schema) {
        assertThatThrownBy(() -> schemas.require(Json.parse(schema)))
                .as(schema)
                .isInstanceOf(ProcessException.Invalid.class);
    }

    @Test
    void aSchemaMayReferToItselfForThePartsOfAPayload() {
        String tree = "{\"type\":\"object\",\"required\":[\"name\"],\"properties\":{\"name\":{\"type\":\"string\"},"
                + "\"children\":{\"type\":\"array\",\"items\":{\"$ref\":\"#\"}}},\"additionalProperties\":false}";
        assertThatCode(() -> check(
                        tree, "{\"name\":\"a\",\"children\":[{\"name\":\"b\",\"children\":[]},{\"name\":\"c\"}]}"))
                .doesNotThrowAnyException();
        assertThatThrownBy(() -> check(tree, "{\"name\":\"a\",\"children\":[{\"name\":\"b\",\"children\":[{}]}]}"))
                .isInstanceOf(ProcessException.PayloadInvalid.class)
                .hasMessageContaining("name");
        String deep = "{\"name\":\"x\",\"children\":[".repeat(30) + "{\"name\":1}" + "]}".repeat(30);
        assertThatThrownBy(() -> check(tree, deep)).isInstanceOf(ProcessException.PayloadInvalid.class);
        String mutual = "{\"$ref\":\"#/$defs/even\",\"$defs\":{\"even\":{\"items\":{\"$ref\":\"#/$defs/odd\"}},"
                + "\"odd\":{\"type\":\"array\",\"minItems\":1,\"items\":{\"$ref\":\"#/$defs/even\"}}}}";
        assertThatCode(() -> check(mutual, "[[[[1]]]]")).doesNotThrowAnyException();
        assertThatThrownBy(() -> check(mutual, "[[[[]]],[]]")).isInstanceOf(ProcessException.PayloadInvalid.class);
    }

    @Test
    void aSchemaThatLooksAtTheSamePartInEverMoreWaysIsStopped() {
        String doubling = "{\"allOf\":[{\"items\":{\"$ref\":\"#\"}},{\"items\":{\"$ref\":\"#\"}}]}";
        assertThatCode(() -> check(doubling, "[".repeat(8) + "]".repeat(8))).doesNotThrowAnyException();
        assertThatThrownBy(() -> check(doubling, "[".repeat(60) + "]".repeat(60)))
                .isInstanceOf(ProcessException.PayloadInvalid.class)
                .hasMessageContaining("too many ways");
    }

    @Test
    void aSchemaWhoseReferencesMultiplyIsRefused() {
        StringBuilder schema = new StringBuilder("{\"$ref\":\"#/$defs/d0\",\"$defs\":{");
        for (int i = 0; i < 40; i++) {
            String next = "{\"$ref\":\"#/$defs/d" + (i + 1) + "\"}";
            schema.append("\"d" + i + "\":{\"allOf\":[" + next + "," + next + "]},");
        }
        schema.append("\"d40\":true}}");
        assertThatThrownBy(() -> schemas.require(Json.parse(schema.toString())))
                .isInstanceOf(ProcessException.Invalid.class)
                .hasMessageContaining("parts");
    }

    @Test
    void aPatternThatTakesForeverIsGivenUp() {
        String schema = "{\"pattern\":\"^(([a-z])+.)+[A-Z]([a-z])+$\"}";
        assertThatThrownBy(() -> check(schema, "\"" + "a".repeat(2_000) + "\""))
                .isInstanceOf(ProcessException.PayloadInvalid.class)
                .hasMessageContaining("pattern");
    }

    @Test
    void nothingIsEverFetched() throws IOException {
        AtomicInteger asked = new AtomicInteger();
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", exchange -> {
            asked.incrementAndGet();
            exchange.sendResponseHeaders(200, -1);
            exchange.close();
        });
        server.start();
        try {
            String url = "http://127.0.0.1:" + server.getAddress().getPort() + "/schema";
            for (String schema : new String[] {
                "{\"$ref\":\"" + url + "\"}",
                "{\"$schema\":\"" + url + "\"}",
                "{\"$id\":\"" + url + "\",\"$ref\":\"#\"}",
                "{\"allOf\":[{\"items\":{\"$ref\":\"" + url + "#/x\"}}]}"
            }) {
                assertThatThrownBy(() -> schemas.require(Json.parse(schema)))
                        .isInstanceOf(ProcessException.Invalid.class);
            }
        } finally {
            server.stop(0);
        }
        Assertions.assertThat(asked).hasValue(0);
    }
}
