package dev.cloche.catalog;

import java.nio.file.Path;
import java.util.List;

/** The program of the tests with several processes: opens a catalog, adds notes and prints how many it read. */
final class CatalogProcess {
    private CatalogProcess() {}

    public static void main(String[] arguments) throws Exception {
        Path root = Path.of(arguments[0]);
        String name = arguments[1];
        int notes = Integer.parseInt(arguments[2]);
        if (notes > 0) {
            // Begin together: the parent closes standard input when everybody is there.
            System.out.println("ready");
            System.in.readAllBytes();
        }
        try (Catalog catalog = Catalog.open(root, List.of(CatalogTest.NOTES_2))) {
            for (int i = 0; i < notes; i++) {
                CatalogTest.add(catalog, name + "-" + i);
            }
            System.out.println("read " + CatalogTest.notes(catalog).size());
            if (notes < 0) {
                // Keeps it open until the parent closes standard input.
                System.in.readAllBytes();
            }
        }
    }
}
