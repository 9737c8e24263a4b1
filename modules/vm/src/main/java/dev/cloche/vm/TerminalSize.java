package dev.cloche.vm;

/**
 * Describes the size of a terminal in characters.
 *
 * @param rows 1 to 65,535
 * @param columns 1 to 65,535
 */
public record TerminalSize(int rows, int columns) {
    private static final int MOST = 65_535;

    /** @throws VmException.Invalid if a number is out of range */
    public TerminalSize {
        if (rows < 1 || rows > MOST || columns < 1 || columns > MOST) {
            throw new VmException.Invalid(
                    "A terminal cannot have " + rows + " rows and " + columns + " columns",
                    "Give 1 to 65,535 of each.");
        }
    }
}
