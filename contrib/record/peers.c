/* Which processes of MPI_COMM_WORLD a communicator or a window reaches, cached in an attribute of it. */
#include "record.h"

#include <stdlib.h>

static int comm_key = MPI_KEYVAL_INVALID, win_key = MPI_KEYVAL_INVALID;

static void discard(struct peers *p)
{
    free(p->world);
    free(p->neighbors);
    free(p);
}

static int discard_comm(MPI_Comm comm, int key, void *value, void *extra)
{
    (void)comm, (void)key, (void)extra;
    discard(value);
    return MPI_SUCCESS;
}

static int discard_win(MPI_Win win, int key, void *value, void *extra)
{
    (void)win, (void)key, (void)extra;
    discard(value);
    return MPI_SUCCESS;
}

/* translate finds the ranks in MPI_COMM_WORLD of a group's processes. */
static struct peers *translate(MPI_Group group)
{
    struct peers *p = record_need(calloc(1, sizeof *p));
    MPI_Group world;
    p->degree = -1;
    PMPI_Group_size(group, &p->size);
    int *here = record_need(malloc((p->size + 1) * sizeof *here));
    p->world = record_need(malloc((p->size + 1) * sizeof *p->world));
    for (int i = 0; i < p->size; i++)
        here[i] = i;
    PMPI_Comm_group(MPI_COMM_WORLD, &world);
    PMPI_Group_translate_ranks(group, p->size, here, world, p->world);
    PMPI_Group_free(&world);
    for (int i = 0; i < p->size; i++)
        if (p->world[i] == MPI_UNDEFINED)
            p->world[i] = -1;
    free(here);
    return p;
}

/* record_peers_of_comm finds or makes what is cached at a communicator. */
struct peers *record_peers_of_comm(MPI_Comm comm)
{
    struct peers *p = NULL;
    int found = 0, remote = 0;
    PMPI_Comm_get_attr(comm, comm_key, &p, &found);
    if (found)
        return p;
    MPI_Group group;
    PMPI_Comm_test_inter(comm, &remote);
    if (remote)
        PMPI_Comm_remote_group(comm, &group);
    else
        PMPI_Comm_group(comm, &group);
    p = translate(group);
    p->remote = remote;
    PMPI_Group_free(&group);
    PMPI_Comm_rank(comm, &p->me);
    PMPI_Comm_set_attr(comm, comm_key, p);
    return p;
}

/* record_peers_of_win is the same for the processes of a window. */
struct peers *record_peers_of_win(MPI_Win win)
{
    struct peers *p = NULL;
    int found = 0;
    PMPI_Win_get_attr(win, win_key, &p, &found);
    if (found)
        return p;
    MPI_Group group;
    PMPI_Win_get_group(win, &group);
    p = translate(group);
    PMPI_Group_rank(group, &p->me);
    PMPI_Group_free(&group);
    PMPI_Win_set_attr(win, win_key, p);
    return p;
}

/* find_neighbors asks for those that this process sends to in neighbour collectives, in the order of
 * the buffers: of a Cartesian dimension the lower and the upper one. */
static void find_neighbors(struct peers *p, MPI_Comm comm)
{
    int kind = MPI_UNDEFINED, in = 0, weighted = 0;
    p->degree = 0;
    PMPI_Topo_test(comm, &kind);
    if (kind == MPI_CART) {
        int dimensions = 0;
        PMPI_Cartdim_get(comm, &dimensions);
        p->neighbors = record_need(malloc((2 * dimensions + 1) * sizeof *p->neighbors));
        for (int d = 0; d < dimensions; d++)
            PMPI_Cart_shift(comm, d, 1, &p->neighbors[2 * d], &p->neighbors[2 * d + 1]);
        p->degree = 2 * dimensions;
    } else if (kind == MPI_GRAPH) {
        PMPI_Graph_neighbors_count(comm, p->me, &p->degree);
        p->neighbors = record_need(malloc((p->degree + 1) * sizeof *p->neighbors));
        PMPI_Graph_neighbors(comm, p->me, p->degree, p->neighbors);
    } else if (kind == MPI_DIST_GRAPH) {
        PMPI_Dist_graph_neighbors_count(comm, &in, &p->degree, &weighted);
        p->neighbors = record_need(malloc((p->degree + 1) * sizeof *p->neighbors));
        int *sources = record_need(malloc((in + 1) * sizeof *sources));
        int *weights = record_need(malloc((in + p->degree + 1) * sizeof *weights));
        PMPI_Dist_graph_neighbors(comm, in, sources, weighted ? weights : MPI_UNWEIGHTED, p->degree,
                                  p->neighbors, weighted ? weights + in : MPI_UNWEIGHTED);
        free(sources);
        free(weights);
    }
}

int record_degree(const struct peers *p, MPI_Comm comm, const int **neighbors)
{
    if (p->degree < 0)
        find_neighbors((struct peers *)p, comm);
    *neighbors = p->neighbors;
    return p->degree;
}

void record_peers_begin(void)
{
    PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, discard_comm, &comm_key, NULL);
    PMPI_Win_create_keyval(MPI_WIN_NULL_COPY_FN, discard_win, &win_key, NULL);
}

void record_peers_end(void)
{
    PMPI_Comm_free_keyval(&comm_key);
    PMPI_Win_free_keyval(&win_key);
}
