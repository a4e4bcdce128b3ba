#include <stdio.h>

int one(void)
{
    return 2;
}
