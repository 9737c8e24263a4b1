package dev.cloche.cli.terminal;

import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;

/** Left-aligned columns, as wide as their widest cell. Control and format characters are shown as {@code ?}. */
public final class Table {
    private static final String GAP = "   ";

    private final List<List<String>> rows = new ArrayList<>();

    public Table(String... heading) {
        rows.add(List.of(heading));
    }

    public void row(String... cells) {
        List<String> clean = new ArrayList<>();
        for (String cell : cells) {
            clean.add(clean(cell));
        }
        rows.add(clean);
    }

    public static String clean(String text) {
        return text.replaceAll("[\\p{Cc}\\p{Cf}]", "?");
    }

    public void print(PrintStream out) {
        int columns = rows.getFirst().size();
        int[] widths = new int[columns];
        for (List<String> row : rows) {
            for (int i = 0; i < columns; i++) {
                widths[i] = Math.max(widths[i], row.get(i).length());
            }
        }
        for (List<String> row : rows) {
            StringBuilder line = new StringBuilder();
            for (int i = 0; i < columns; i++) {
                line.append(row.get(i));
                if (i < columns - 1) {
                    line.repeat(' ', widths[i] - row.get(i).length()).append(GAP);
                }
            }
            out.println(line.toString().stripTrailing());
        }
    }
}
