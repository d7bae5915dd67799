kernel void said(global int *o)
{
    int i = get_global_id(0);
    if (i < 2)
        printf("%d: %s %v2d %.2f\n", i, "word", (int2)(i, 7), 0.5f * i);
    o[i] = i;
}
