package dev.cloche.tools;

/** What a model is told of each tool and its parameters. Constants, so that annotations can have them. */
public final class ToolDescriptions {
    /** Describes {@link SandboxTools#runCode(String, String)}. */
    public static final String RUN_CODE = """
            Runs a program in an isolated Linux sandbox and returns what it prints. Every call is a new process: variables, \
            imports and functions of earlier calls are gone, files stay. It starts in the working directory, which all calls \
            share. Print the results that you need. Nothing can be typed in, and only what is installed in the sandbox is there.""";

    /** Describes the language of {@link #RUN_CODE}. */
    public static final String LANGUAGE = "python, javascript, java or shell";

    /** Describes the code of {@link #RUN_CODE}. */
    public static final String CODE = "The whole program; of Java, one file with a main method";

    /** Describes {@link InterpreterTools#run} of Python. */
    public static final String RUN_PYTHON = """
            Runs Python in a session in the isolated Linux sandbox and returns what it prints, the value of its last expression and \
            its errors. Variables, imports and functions stay from call to call, files too. It starts in the working directory. \
            Nothing can be typed in, and only what is installed in the sandbox is there. Code that takes too long is interrupted.""";

    /** Describes the code of {@link #RUN_PYTHON}. */
    public static final String CELL = "Python; it may use what earlier calls have defined";

    /** Describes {@link InterpreterTools#run} of the shell. */
    public static final String RUN_SHELL = """
            Runs commands in one shell (POSIX sh) of the isolated Linux sandbox and returns what they print and how they failed. The \
            shell goes on from call to call: the directory that cd leads to, variables, functions and background jobs stay, files \
            too. It starts in the working directory. Nothing can be typed in, and only what is installed in the sandbox is there. \
            exit ends the shell, and all of this is lost; the next call has a new one. What takes too long is interrupted.""";

    /** Describes the code of {@link #RUN_SHELL}. */
    public static final String SHELL_CELL =
            "Commands of sh, in one line or several; they may use what earlier calls have set";

    /** Describes {@link SandboxTools#runCommand}. */
    public static final String RUN_COMMAND = """
            Runs a command line by sh in the isolated Linux sandbox and returns what it prints. Every call is a new shell in the \
            working directory: its variables and cd end with the call, files stay. Nothing can be typed in. What runs in the \
            background is to have its output in a file.""";

    /** Describes the command of {@link #RUN_COMMAND}. */
    public static final String COMMAND = "The command line, such as: grep -c error log.txt";

    /** Describes {@link SandboxTools#readFile}. */
    public static final String READ_FILE = "Returns the text of a file of the sandbox; of a long one, its beginning.";

    /** Describes {@link SandboxTools#writeFile}. */
    public static final String WRITE_FILE =
            "Makes a text file in the sandbox, or replaces it. Directories that are missing are made.";

    /** Describes the content of {@link #WRITE_FILE}. */
    public static final String CONTENT = "The whole text of the file";

    /** Describes {@link SandboxTools#listFiles}. */
    public static final String LIST_FILES = "Lists what is in a directory of the sandbox, with kinds and sizes.";

    /** Describes the path of a tool for files. */
    public static final String PATH = "The path, absolute or from the working directory";

    private ToolDescriptions() {}
}
