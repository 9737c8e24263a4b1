package dev.cloche.process.store;

import dev.cloche.base.JsonValue;
import dev.cloche.process.Backoff;
import dev.cloche.process.EventType;
import dev.cloche.process.Json;
import dev.cloche.process.ProcessException;
import dev.cloche.process.ProcessInput;
import dev.cloche.process.ProcessRegistration;
import dev.cloche.process.Provenance;
import dev.cloche.process.RecoveryPolicy;
import dev.cloche.process.SessionScope;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * The canonical encoding of a registration, version 1: what its hash is of, and how stores keep it. A change of it is a new
 * version, for the hashes of what is stored are not made again. Stateless.
 */
public final class RegistrationJson {
    private static final int VERSION = 1;

    private RegistrationJson() {}

    /** Returns the canonical encoding. */
    public static Json write(ProcessRegistration registration) {
        Map<String, Json> members = new TreeMap<>();
        members.put("version", Json.of(VERSION));
        members.put("id", Json.of(registration.id()));
        members.put(
                "input",
                Json.object(Map.of(
                        "type",
                        Json.of(registration.input().type()),
                        "payload",
                        registration.input().payload())));
        members.put(
                "event_types",
                Json.array(registration.eventTypes().stream()
                        .map(EventTypeJson::write)
                        .toList()));
        members.put("provenance", provenance(registration.provenance()));
        members.put("recovery", recovery(registration.recovery()));
        members.put("lease_required", Json.of(registration.leaseRequired()));
        return Json.object(members);
    }

    /** Returns the inverse of {@link #write}. */
    public static ProcessRegistration read(Json json) {
        JsonValue.Fields node = json.fields();
        JsonValue.Fields input = node.require("input").orNoFields();
        List<EventType> types = new ArrayList<>();
        for (JsonValue type : node.items("event_types").orElse(List.of())) {
            types.add(EventTypeJson.read(type.orNoFields()));
        }
        JsonValue.Fields provenance = node.require("provenance").orNoFields();
        return new ProcessRegistration(
                node.requireText("id"),
                new ProcessInput(input.requireText("type"), Json.of(input.require("payload"))),
                types,
                new Provenance(
                        scope(provenance.items("owner_scope").orElse(List.of())),
                        provenance.requireText("host_profile_id"),
                        Optional.ofNullable(provenance.fields().get("caused_by"))
                                .map(Json::of)),
                recovery(node.require("recovery").orNoFields()),
                node.require("lease_required") == JsonValue.Literal.TRUE);
    }

    private static Json provenance(Provenance provenance) {
        Map<String, Json> members = new TreeMap<>();
        members.put("owner_scope", provenance.ownerScope().json());
        members.put("host_profile_id", Json.of(provenance.hostProfileId()));
        provenance.causedBy().ifPresent(cause -> members.put("caused_by", cause));
        return Json.object(members);
    }

    private static SessionScope scope(List<JsonValue> names) {
        List<String> texts =
                names.stream().map(name -> ((JsonValue.Text) name).value()).toList();
        return texts.size() > 1 ? SessionScope.of(texts.get(0), texts.get(1)) : SessionScope.of(texts.getFirst());
    }

    private static Json recovery(RecoveryPolicy recovery) {
        return switch (recovery) {
            case RecoveryPolicy.Rerunnable rerunnable ->
                Json.object(Map.of("type", Json.of("rerunnable"), "attempts", Json.of(rerunnable.attempts())));
            case RecoveryPolicy.Retrying retrying ->
                Json.object(Map.of(
                        "type",
                        Json.of("retrying"),
                        "times",
                        Json.of(retrying.times()),
                        "first_ms",
                        Json.of(retrying.backoff().first().toMillis()),
                        "longest_ms",
                        Json.of(retrying.backoff().longest().toMillis())));
            case RecoveryPolicy.OwnerBound _ -> Json.object(Map.of("type", Json.of("owner_bound")));
            case RecoveryPolicy.ExternallyOwned _ -> Json.object(Map.of("type", Json.of("externally_owned")));
        };
    }

    private static RecoveryPolicy recovery(JsonValue.Fields node) {
        return switch (node.requireText("type")) {
            case "rerunnable" -> new RecoveryPolicy.Rerunnable((int) node.requireWhole("attempts"));
            case "retrying" ->
                new RecoveryPolicy.Retrying(
                        (int) node.requireWhole("times"),
                        new Backoff(
                                Duration.ofMillis(node.requireWhole("first_ms")),
                                Duration.ofMillis(node.requireWhole("longest_ms"))));
            case "owner_bound" -> new RecoveryPolicy.OwnerBound();
            case "externally_owned" -> new RecoveryPolicy.ExternallyOwned();
            case String other -> throw new ProcessException.Invalid("there is no recovery \"" + other + "\"");
        };
    }
}
