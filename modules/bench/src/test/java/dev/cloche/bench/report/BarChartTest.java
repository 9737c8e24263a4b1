package dev.cloche.bench.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.io.StringReader;
import java.util.List;
import java.util.stream.IntStream;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.w3c.dom.Document;
import org.w3c.dom.NodeList;
import org.xml.sax.InputSource;

class BarChartTest {
    @Test
    void aBarIsAsLongAsItsMedianAndTheLineEndsAtThe95thPercentile() throws Exception {
        NodeList rectangles = drawn(new Samples("a", hundred(10)), new Samples("b", hundred(20)))
                .getElementsByTagName("rect");

        assertThat(rectangles.getLength())
                .as("a background, and a bar and a line each")
                .isEqualTo(5);
        double bar = number(rectangles, 1, "width");
        assertThat(bar).isCloseTo(number(rectangles, 3, "width") / 2, within(0.1));
        assertThat(bar + number(rectangles, 2, "width")).isCloseTo(bar * 9.5 / 5, within(0.2));
    }

    @Test
    void namesAreTextWhateverIsInThem() throws Exception {
        NodeList texts = drawn(new Samples("`a` <b> & \"c\"", hundred(1))).getElementsByTagName("text");

        assertThat(IntStream.range(0, texts.getLength())
                        .mapToObj(i -> texts.item(i).getTextContent()))
                .contains("a <b> & \"c\"", "T & t", "0.50 ms");
    }

    /** 100 values, the largest as given. */
    private static double[] hundred(double largest) {
        return IntStream.rangeClosed(1, 100).mapToDouble(i -> i * largest / 100).toArray();
    }

    private static Document drawn(Samples... rows) throws Exception {
        String svg = new BarChart("T & t", "here", List.of(rows)).svg();
        return DocumentBuilderFactory.newNSInstance()
                .newDocumentBuilder()
                .parse(new InputSource(new StringReader(svg)));
    }

    private static double number(NodeList elements, int index, String attribute) {
        return Double.parseDouble(
                elements.item(index).getAttributes().getNamedItem(attribute).getTextContent());
    }
}
