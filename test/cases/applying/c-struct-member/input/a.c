struct point {
    int x;
};

int x_of(struct point *p)
{
    return p->x;
}
