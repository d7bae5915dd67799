// Groups that are cut off at the end of the range, in three dimensions; compiled for Battlemage by
//     ocloc compile -file groups.cl -device bmg -output_no_suffix -output groups -options -cl-std=CL2.0 \
//         -internal_options -ze-emit-zebin-visa-sections
// Each work-item writes what it knows of its group; the sum is that of its group's x, through shared memory.
kernel void groups(global int *out)
{
    local int part[64];
    int own = (get_local_id(2) * get_local_size(1) + get_local_id(1)) * get_local_size(0) + get_local_id(0);
    part[own] = get_global_id(0);
    barrier(CLK_LOCAL_MEM_FENCE);
    int count = get_local_size(0) * get_local_size(1) * get_local_size(2), sum = 0;
    for (int n = 0; n < count; n++)
        sum += part[n];
    global int *mine = out + 4 * get_global_linear_id();
    mine[0] = get_local_size(0) + 100 * get_local_size(1) + 10000 * get_local_size(2);
    mine[1] = get_enqueued_local_size(0) + 100 * get_enqueued_local_size(1) + 10000 * get_enqueued_local_size(2);
    mine[2] = get_group_id(0) + 100 * get_group_id(1) + 10000 * get_group_id(2);
    mine[3] = sum;
}
