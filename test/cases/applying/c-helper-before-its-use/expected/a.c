#include <stdio.h>

static int helper(void)
{
    return 1;
}

int one(void)
{
    return helper();
}
