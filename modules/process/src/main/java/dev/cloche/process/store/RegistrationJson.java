package dev.cloche.process.store;

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
import tools.jackson.databind.JsonNode;

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
        JsonNode node = json.node();
        List<EventType> types = new ArrayList<>();
        for (JsonNode type : node.path("event_types")) {
            types.add(EventTypeJson.read(type));
        }
        JsonNode provenance = node.path("provenance");
        return new ProcessRegistration(
                node.path("id").stringValue(),
                new ProcessInput(
                        node.path("input").path("type").stringValue(),
                        Json.of(node.path("input").path("payload"))),
                types,
                new Provenance(
                        scope(provenance.path("owner_scope")),
                        provenance.path("host_profile_id").stringValue(),
                        provenance.has("caused_by")
                                ? Optional.of(Json.of(provenance.path("caused_by")))
                                : Optional.empty()),
                recovery(node.path("recovery")),
                node.path("lease_required").booleanValue());
    }

    private static Json provenance(Provenance provenance) {
        Map<String, Json> members = new TreeMap<>();
        members.put("owner_scope", provenance.ownerScope().json());
        members.put("host_profile_id", Json.of(provenance.hostProfileId()));
        provenance.causedBy().ifPresent(cause -> members.put("caused_by", cause));
        return Json.object(members);
    }

    private static SessionScope scope(JsonNode node) {
        String session = node.path(0).stringValue();
        return node.has(1) ? SessionScope.of(session, node.path(1).stringValue()) : SessionScope.of(session);
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

    private static RecoveryPolicy recovery(JsonNode node) {
        return switch (node.path("type").stringValue()) {
            case "rerunnable" ->
                new RecoveryPolicy.Rerunnable(node.path("attempts").intValue());
            case "retrying" ->
                new RecoveryPolicy.Retrying(
                        node.path("times").intValue(),
                        new Backoff(
                                Duration.ofMillis(node.path("first_ms").longValue()),
                                Duration.ofMillis(node.path("longest_ms").longValue())));
            case "owner_bound" -> new RecoveryPolicy.OwnerBound();
            case "externally_owned" -> new RecoveryPolicy.ExternallyOwned();
            case String other -> throw new ProcessException.Invalid("there is no recovery \"" + other + "\"");
        };
    }
}
