struct point {
    int x;
    int y;
};

int x_of(struct point *p)
{
    return p->x;
}
