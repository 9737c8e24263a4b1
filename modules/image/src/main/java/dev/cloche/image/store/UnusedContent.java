package dev.cloche.image.store;

import dev.cloche.image.Digest;
import java.util.List;
import java.util.stream.Stream;

/** Says what a deletion of rows left without one: its files have no use. */
public record UnusedContent(List<Digest> manifests, List<Digest> configs, List<Digest> layers) {
    static final UnusedContent NOTHING = new UnusedContent(List.of(), List.of(), List.of());

    public UnusedContent {
        manifests = List.copyOf(manifests);
        configs = List.copyOf(configs);
        layers = List.copyOf(layers);
    }

    static UnusedContent ofLayers(List<Digest> layers) {
        return new UnusedContent(List.of(), List.of(), layers);
    }

    UnusedContent and(UnusedContent other) {
        return new UnusedContent(
                joined(manifests, other.manifests), joined(configs, other.configs), joined(layers, other.layers));
    }

    private static List<Digest> joined(List<Digest> one, List<Digest> other) {
        return Stream.concat(one.stream(), other.stream()).distinct().toList();
    }
}
