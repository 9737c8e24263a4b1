/** Asks for the library alone; the modules of the runtime and of schemas are found as services. */
module outside.modulepath {
    requires dev.cloche;
}
