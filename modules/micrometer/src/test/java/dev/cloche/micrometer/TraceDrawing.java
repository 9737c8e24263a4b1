package dev.cloche.micrometer;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;

/** Draws spans as an SVG 1.1 picture: a bar for each, in the order of their beginnings; gaps between traces are left out. */
final class TraceDrawing {
    private static final int WIDTH = 840;
    private static final int NAMES = 300;
    private static final int LONGEST = 440;
    private static final int ROW = 26;
    private static final String[] BY_DEPTH = {"#b3bac2", "#1f5fa8", "#7aa6d6"};

    private TraceDrawing() {}

    /** A span; begin and end in nanoseconds since any instant. */
    record Span(String name, int depth, long begin, long end) {}

    static String svg(List<Span> spans) {
        List<Span> ordered = new ArrayList<>(spans);
        // What began with its parent stands below it.
        ordered.sort(Comparator.comparingLong(Span::begin).thenComparingInt(Span::depth));
        long longest = ordered.stream()
                .filter(span -> span.depth() == 0)
                .mapToLong(span -> span.end() - span.begin())
                .max()
                .orElseThrow();
        int height = ordered.size() * ROW + 16;
        StringBuilder svg = new StringBuilder(String.format(
                "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" font-family=\"sans-serif\""
                        + " font-size=\"13\"><rect width=\"%1$d\" height=\"%2$d\" fill=\"#ffffff\"/>",
                WIDTH, height));
        long zero = 0;
        for (int i = 0; i < ordered.size(); i++) {
            Span span = ordered.get(i);
            if (span.depth() == 0) {
                zero = span.begin();
            }
            double left = NAMES + (double) (span.begin() - zero) * LONGEST / longest;
            double width = Math.max(1, (double) (span.end() - span.begin()) * LONGEST / longest);
            int top = 8 + i * ROW;
            svg.append(String.format(
                    Locale.ROOT,
                    "<text x=\"%d\" y=\"%d\" fill=\"#1b1f24\">%s</text>"
                            + "<rect x=\"%.1f\" y=\"%d\" width=\"%.1f\" height=\"16\" fill=\"%s\"/>"
                            + "<text x=\"%.1f\" y=\"%2$d\" fill=\"#656d76\">%.1f ms</text>",
                    8 + 14 * span.depth(),
                    top + 13,
                    span.name(),
                    left,
                    top,
                    width,
                    BY_DEPTH[Math.min(span.depth(), BY_DEPTH.length - 1)],
                    left + width + 6,
                    (span.end() - span.begin()) / 1e6));
        }
        return svg.append("</svg>\n").toString();
    }
}
