__kernel void told(__global int *o)
{
    int g = get_global_id(0);
    if (g == 1)
        printf("%d\n", g);
    o[g] = g + 1;
}
