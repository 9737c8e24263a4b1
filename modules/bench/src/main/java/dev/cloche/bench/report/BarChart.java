package dev.cloche.bench.report;

import java.io.StringWriter;
import java.util.List;
import java.util.Locale;
import javax.xml.stream.XMLOutputFactory;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamWriter;

/**
 * A table of samples as an SVG 1.1 picture: a bar for each row, as long as its median, and a line to its 95th percentile.
 * The last row, which the others are held against, is grey.
 */
record BarChart(String title, String setting, List<Samples> rows) {
    private static final int WIDTH = 840;
    private static final int NAMES = 330;
    private static final int LONGEST = 400;
    private static final int TOP = 58;
    private static final int ROW = 30;
    private static final int BAR = 18;
    private static final String BLUE = "#1f5fa8";
    private static final String GREY = "#b3bac2";
    private static final String INK = "#1b1f24";
    private static final String DIM = "#656d76";

    String svg() {
        StringWriter text = new StringWriter();
        try {
            draw(XMLOutputFactory.newFactory().createXMLStreamWriter(text));
        } catch (XMLStreamException e) {
            throw new IllegalStateException("writing to a string does not fail", e);
        }
        return text.toString();
    }

    private void draw(XMLStreamWriter svg) throws XMLStreamException {
        int height = TOP + rows.size() * ROW + 10;
        svg.writeStartElement("svg");
        svg.writeDefaultNamespace("http://www.w3.org/2000/svg");
        svg.writeAttribute("viewBox", "0 0 " + WIDTH + " " + height);
        svg.writeAttribute("font-family", "sans-serif");
        svg.writeAttribute("font-size", "13");
        rectangle(svg, 0, 0, WIDTH, height, "#ffffff");
        text(svg, 16, 24, INK, "font-weight", "bold", title);
        text(svg, 16, 42, DIM, "font-size", "11", setting);
        double scale = LONGEST
                / rows.stream().mapToDouble(row -> row.percentile(0.95)).max().orElseThrow();
        for (int i = 0; i < rows.size(); i++) {
            row(svg, rows.get(i), TOP + i * ROW, scale, i == rows.size() - 1 ? GREY : BLUE);
        }
        svg.writeEndElement();
        svg.writeEndDocument();
        svg.close();
    }

    private static void row(XMLStreamWriter svg, Samples row, int y, double scale, String colour)
            throws XMLStreamException {
        double median = row.median() * scale;
        double high = row.percentile(0.95) * scale;
        text(svg, NAMES - 8, y + 14, INK, "text-anchor", "end", row.name().replace("`", ""));
        rectangle(svg, NAMES, y, Math.max(median, 1), BAR, colour);
        rectangle(svg, NAMES + median, y + BAR / 2.0 - 0.5, high - median, 1, INK);
        String figure = row.median() < 10 ? "%.2f %s" : "%,.0f %s";
        String label =
                String.format(Locale.ROOT, figure, row.median(), row.unit().symbol());
        text(svg, NAMES + high + 6, y + 14, INK, "text-anchor", "start", label);
    }

    private static void rectangle(XMLStreamWriter svg, double x, double y, double width, double height, String fill)
            throws XMLStreamException {
        svg.writeEmptyElement("rect");
        svg.writeAttribute("x", number(x));
        svg.writeAttribute("y", number(y));
        svg.writeAttribute("width", number(width));
        svg.writeAttribute("height", number(height));
        svg.writeAttribute("fill", fill);
    }

    private static void text(
            XMLStreamWriter svg, double x, double y, String fill, String attribute, String value, String text)
            throws XMLStreamException {
        svg.writeStartElement("text");
        svg.writeAttribute("x", number(x));
        svg.writeAttribute("y", number(y));
        svg.writeAttribute("fill", fill);
        svg.writeAttribute(attribute, value);
        svg.writeCharacters(text);
        svg.writeEndElement();
    }

    private static String number(double value) {
        return String.format(Locale.ROOT, "%.1f", value);
    }
}
