#ifndef LIST_H
#define LIST_H

#define MAX 20

int sum(const int *items, int count);

#endif
