
__kernel void loc_ids_5x5x3(__global int *d)
{
    __local int t[256];
    int x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);
    int m = (get_local_id(2) * get_local_size(1) + get_local_id(1)) * get_local_size(0) + get_local_id(0);
    int all = get_local_size(0) * get_local_size(1) * get_local_size(2);
    t[m] = x * 10000 + y * 100 + z;
    barrier(CLK_LOCAL_MEM_FENCE);
    int at = (z * get_global_size(1) + y) * get_global_size(0) + x;
    d[at] = t[(m * 7 + 3) % all] + get_group_id(0) * 1000000 + get_group_id(1) * 3000000 + get_num_groups(1) + get_work_dim() * 7;
    d[at + get_global_size(0)*get_global_size(1)*get_global_size(2)] = get_global_linear_id() * 64 + get_local_linear_id();
}