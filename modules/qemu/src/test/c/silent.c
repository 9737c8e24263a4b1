/* In the place of a QEMU that comes up and says nothing. A script would not do: behind walls there is no shell. */
#include <unistd.h>

int main(void) {
    for (;;) pause();
}
