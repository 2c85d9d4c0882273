/* The command `ruga`. */
#include <stdio.h>

#include "ruga/ruga.h"

int main(void) {
    printf("ruga %s\n", ruga_version());
    return 0;
}
