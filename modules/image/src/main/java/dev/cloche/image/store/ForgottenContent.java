package dev.cloche.image.store;

import dev.cloche.image.Digest;
import java.util.List;
import java.util.stream.Stream;

/** Says what the catalog has forgotten: content whose last row was removed, so that its files have no use. */
public record ForgottenContent(List<Digest> manifests, List<Digest> configs, List<Digest> layers) {
    static final ForgottenContent NOTHING = new ForgottenContent(List.of(), List.of(), List.of());

    public ForgottenContent {
        manifests = List.copyOf(manifests);
        configs = List.copyOf(configs);
        layers = List.copyOf(layers);
    }

    static ForgottenContent ofLayers(List<Digest> layers) {
        return new ForgottenContent(List.of(), List.of(), layers);
    }

    ForgottenContent and(ForgottenContent other) {
        return new ForgottenContent(
                joined(manifests, other.manifests), joined(configs, other.configs), joined(layers, other.layers));
    }

    private static List<Digest> joined(List<Digest> one, List<Digest> other) {
        return Stream.concat(one.stream(), other.stream()).distinct().toList();
    }
}
