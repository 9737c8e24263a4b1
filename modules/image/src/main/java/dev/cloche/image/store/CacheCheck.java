package dev.cloche.image.store;

import dev.cloche.image.CacheProblem;
import dev.cloche.image.Digest;
import dev.cloche.image.layer.FileFingerprint;
import dev.cloche.image.layer.FilePublication;
import dev.cloche.image.store.StoredImage.StoredLayer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Reads every file of the cache and holds it against its row. Changes nothing. */
public final class CacheCheck {
    private final CacheFiles files;
    private final ImageCatalog catalog;
    private final List<CacheProblem> problems = new ArrayList<>();

    public CacheCheck(CacheFiles files, ImageCatalog catalog) {
        this.files = files;
        this.catalog = catalog;
    }

    public List<CacheProblem> run() throws IOException {
        Set<Digest> seen = new HashSet<>();
        for (StoredImage image : catalog.all()) {
            check(files.fsmeta(image.manifest()), image.fsmeta().written());
            check(files.vmdk(image.manifest()), image.vmdk().written());
            for (StoredLayer layer : image.layers()) {
                if (seen.add(layer.diffId())) {
                    Path file = files.layer(layer.diffId());
                    report(file, CacheVerification.isLayer(file, layer.file().written()));
                }
            }
        }
        CatalogDigests known = catalog.knownContent();
        for (Digest manifest : known.manifests()) {
            checkDocument(manifest);
        }
        for (Digest config : known.configs()) {
            checkDocument(config);
        }
        for (UnfinishedPullFiles.Orphan orphan : new UnfinishedPullFiles(files, catalog).all()) {
            problems.add(new CacheProblem(
                    CacheProblem.Kind.ORPHAN, orphan.file(), "No image has the file " + orphan.file() + "."));
        }
        return List.copyOf(problems);
    }

    private void check(Path file, FileFingerprint recorded) throws IOException {
        report(file, CacheVerification.is(file, recorded));
    }

    /** Its digest is its name. */
    private void checkDocument(Digest digest) throws IOException {
        Path file = files.document(digest);
        report(file, Files.exists(file) && FilePublication.read(file).sha256().equals(digest));
    }

    private void report(Path file, boolean sound) {
        if (!Files.exists(file)) {
            problems.add(new CacheProblem(
                    CacheProblem.Kind.MISSING, file, "The file " + file + " of an image is not there."));
        } else if (!sound) {
            problems.add(new CacheProblem(
                    CacheProblem.Kind.DAMAGED, file, "The file " + file + " is not what was written."));
        }
    }
}
