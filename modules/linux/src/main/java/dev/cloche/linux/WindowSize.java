package dev.cloche.linux;

/**
 * Describes the size of a terminal in characters.
 *
 * @param rows 0 to 65,535; 0 is unknown
 * @param columns likewise
 */
public record WindowSize(int rows, int columns) {}
