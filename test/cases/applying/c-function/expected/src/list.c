#include <stdio.h>
#include "list.h"
#include <stddef.h>

#define MAX 10

/* Adds up. */
static int sum(const int *items, int count)
{
    int total = 0;
    for (int i = 0; i < count; i++)
        total += items[i];
    return total;
}

int main(void)
{
    return sum(0, 0);
}
