package dev.cloche.image.store;

import dev.cloche.image.Digest;
import java.util.List;
import java.util.stream.Stream;

/** What a deletion of rows left without one: its files have no use. */
public record Unused(List<Digest> manifests, List<Digest> configs, List<Digest> layers) {
    static final Unused NOTHING = new Unused(List.of(), List.of(), List.of());

    public Unused {
        manifests = List.copyOf(manifests);
        configs = List.copyOf(configs);
        layers = List.copyOf(layers);
    }

    static Unused ofLayers(List<Digest> layers) {
        return new Unused(List.of(), List.of(), layers);
    }

    Unused and(Unused other) {
        return new Unused(
                joined(manifests, other.manifests), joined(configs, other.configs), joined(layers, other.layers));
    }

    private static List<Digest> joined(List<Digest> one, List<Digest> other) {
        return Stream.concat(one.stream(), other.stream()).distinct().toList();
    }
}
