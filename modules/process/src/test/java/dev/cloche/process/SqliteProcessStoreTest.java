package dev.cloche.process;

import dev.cloche.catalog.Catalog;
import dev.cloche.process.store.ProcessStore;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.io.TempDir;

class SqliteProcessStoreTest extends ProcessRegistryContract {
    @TempDir
    Path root;

    private final List<Catalog> catalogs = new ArrayList<>();

    @Override
    protected ProcessStore openStore() {
        Catalog catalog = Catalog.open(root, List.of(SqliteProcessStore.schema()));
        catalogs.add(catalog);
        return SqliteProcessStore.open(catalog, root);
    }

    @Override
    protected boolean isShared() {
        return true;
    }

    @Override
    protected void closeBelow() {
        catalogs.forEach(Catalog::close);
    }
}
