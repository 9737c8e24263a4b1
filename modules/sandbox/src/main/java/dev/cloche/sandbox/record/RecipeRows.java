package dev.cloche.sandbox.record;

import dev.cloche.catalog.CatalogTransaction;
import dev.cloche.sandbox.Template;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/** Reads and writes the recipes of templates. */
final class RecipeRows {
    private RecipeRows() {}

    static void insert(CatalogTransaction transaction, long snapshot, Template.Recipe recipe) throws SQLException {
        for (int step = 0; step < recipe.steps().size(); step++) {
            Template.Recipe.Step each = recipe.steps().get(step);
            for (int position = 0; position < each.words().size(); position++) {
                transaction.update(
                        """
                        INSERT INTO snapshot_recipe_word (snapshot_id, step, position, kind, word) VALUES (?, ?, ?, ?, ?)
                        """,
                        snapshot,
                        step,
                        position,
                        each.kind().name(),
                        each.words().get(position));
            }
        }
    }

    static Template.Recipe read(CatalogTransaction transaction, long snapshot) throws SQLException {
        record Word(int step, Template.Recipe.Kind kind, String word) {}
        List<Word> words = transaction.list(
                row -> new Word(row.getInt(1), Template.Recipe.Kind.valueOf(row.getString(2)), row.getString(3)),
                "SELECT step, kind, word FROM snapshot_recipe_word WHERE snapshot_id = ? ORDER BY step, position",
                snapshot);
        SortedMap<Integer, List<Word>> steps = new TreeMap<>();
        words.forEach(word ->
                steps.computeIfAbsent(word.step(), _ -> new ArrayList<>()).add(word));
        return new Template.Recipe(steps.values().stream()
                .map(step -> new Template.Recipe.Step(
                        step.getFirst().kind(), step.stream().map(Word::word).toList()))
                .toList());
    }
}
