package dev.cloche.image.manifest;

import dev.cloche.base.JsonValue;
import dev.cloche.image.Digest;
import dev.cloche.image.ImageConfig;
import dev.cloche.image.Platform;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Describes an image's config as its author wrote it (OCI image specification, "image configuration").
 *
 * @param config how it wants to be run
 * @param diffIds digests of the uncompressed layers, bottom to top
 * @param warnings what could not be read and was left out
 */
public record ConfigDocument(ImageConfig config, List<Digest> diffIds, List<String> warnings) {
    /**
     * Reads a document. Platform and layers must be sound; a field of the rest that cannot be read is left out with a warning.
     */
    public static ConfigDocument read(byte[] document) throws JsonValue.Malformed {
        JsonValue.Fields fields = JsonValue.parse(document);
        Lenient lenient = new Lenient(fields.object("config").orElse(JsonValue.Fields.NONE), new ArrayList<>());
        Platform platform = new Platform(
                fields.text("os").orElse("linux"),
                fields.text("architecture").orElse(""),
                fields.text("variant").orElse(""));
        ImageConfig config = new ImageConfig(
                lenient.texts("Env").stream().filter(lenient::isVariable).toList(),
                lenient.texts("Cmd"),
                lenient.texts("Entrypoint"),
                lenient.text("User"),
                lenient.text("WorkingDir"),
                lenient.labels(),
                lenient.text("StopSignal"),
                platform);
        return new ConfigDocument(config, diffIds(fields), List.copyOf(lenient.warnings));
    }

    private static List<Digest> diffIds(JsonValue.Fields fields) throws JsonValue.Malformed {
        List<Digest> diffIds = new ArrayList<>();
        for (JsonValue item :
                fields.object("rootfs").flatMap(r -> r.items("diff_ids")).orElse(List.of())) {
            try {
                diffIds.add(Digest.parse(item instanceof JsonValue.Text(String value) ? value : ""));
            } catch (IllegalArgumentException e) {
                throw new JsonValue.Malformed("a diff id is no sha256 digest");
            }
        }
        return List.copyOf(diffIds);
    }

    private record Lenient(JsonValue.Fields fields, List<String> warnings) {
        String text(String name) {
            JsonValue value = fields.fields().get(name);
            if (value instanceof JsonValue.Text(String text) && isPassable(text)) {
                return text;
            }
            if (value != null && value != JsonValue.Literal.NULL) {
                warn(name);
            }
            return "";
        }

        List<String> texts(String name) {
            JsonValue value = fields.fields().get(name);
            if (value instanceof JsonValue.Items(List<JsonValue> items)) {
                List<String> texts = new ArrayList<>();
                for (JsonValue item : items) {
                    if (item instanceof JsonValue.Text(String text) && isPassable(text)) {
                        texts.add(text);
                    } else {
                        warn(name);
                        return List.of();
                    }
                }
                return texts;
            }
            if (value != null && value != JsonValue.Literal.NULL) {
                warn(name);
            }
            return List.of();
        }

        Map<String, String> labels() {
            Map<String, String> labels = new LinkedHashMap<>();
            fields.object("Labels").orElse(JsonValue.Fields.NONE).fields().forEach((name, value) -> {
                if (value instanceof JsonValue.Text(String text)) {
                    labels.put(name, text);
                } else {
                    warn("Labels");
                }
            });
            return labels;
        }

        boolean isVariable(String entry) {
            boolean sound = entry.indexOf('=') > 0;
            if (!sound) {
                warn("Env");
            }
            return sound;
        }

        /** Strings for the guest's kernel end at a NUL, so one inside could not be passed. */
        private static boolean isPassable(String text) {
            return text.indexOf('\0') < 0;
        }

        private void warn(String name) {
            String warning = "The image's config has an entry of '" + name + "' that cannot be read; it is left out.";
            if (!warnings.contains(warning)) {
                warnings.add(warning);
            }
        }
    }
}
