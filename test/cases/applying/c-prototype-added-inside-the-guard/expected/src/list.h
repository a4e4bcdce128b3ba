#ifndef LIST_H
#define LIST_H

int sum(const int *items, int count);
int product(const int *items, int count);

#endif
