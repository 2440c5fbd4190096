// kiln: compiles and runs graphs from files.
#include <kiln/Main.h>

int main(int argc, char **argv) { return kiln::main(argc, argv); }
