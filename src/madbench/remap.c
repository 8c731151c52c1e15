/* Moves matrices between process grids: from the big grid, of all ranks of a
 * communicator, to the grid of one gang.
 *
 * Gang g is the ranks g R .. g R + R - 1 of the communicator, R = ranks / ngang; all
 * gangs' grids have the same shape and the same blocks as the big one, so whole blocks
 * move. Shares are as in madbench/grid.h.
 *
 * Memory. custom: a pack buffer of one share of the big grid on every rank and a
 * receive buffer of one share of the gang's grid on the ranks of the receiving gang,
 * both the caller's, besides the two shares themselves. With W's inverse and result
 * that is the share of the big grid read (1/ngang) and packed (1/ngang), dSdC received,
 * dSdC and inverse: the result's share may serve as the receive buffer, as it is still
 * empty, and the sum is 3 + 2/ngang <= 5 matrices of a gang. scalapack: pdgemr2d
 * allocates about as much by itself. */

#include "base/err.h"
#include "base/mem.h"
#include "base/units.h"
#include "madbench/linalg.h"
#include "world/world.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------ open */

/* Checks ngang, and finds the divisors of `ranks` next to it, for advice. */
static int ngang_check(int ranks, int ngang)
{
    if (ngang >= 1 && ranks % ngang == 0)
        return 0;
    int below = ngang < 1 ? 1 : ngang < ranks ? ngang : ranks;
    int above = below;
    while (ranks % below != 0)
        below--;
    while (ranks % above != 0)
        above++;
    if (below == above)
        return err_usage("%d gangs cannot share %d rank%s evenly: take %d", ngang,
                         ranks, units_s(ranks), below);
    return err_usage("%d gangs cannot share %d rank%s evenly: take %d or %d", ngang,
                     ranks, units_s(ranks), below, above);
}

static int grids_open(struct remap *r, int64_t npix, int64_t block)
{
    int ranks, rank;
    MPI_Comm_size(r->comm, &ranks);
    MPI_Comm_rank(r->comm, &rank);
    int rc = ngang_check(ranks, r->ngang);
    if (rc != 0)
        return rc;
    int members = ranks / r->ngang;
    r->gang = rank / members;
    rc = grid_init(&r->big, npix, block, ranks, rank);
    if (rc == 0)
        rc = grid_init(&r->small, npix, block, members, rank % members);
    if (rc == 0 && r->method == REMAP_SCALAPACK)
        rc = grid_check_scalapack(npix, block, members);
    return rc;
}

int remap_open(struct remap *r, MPI_Comm comm, int64_t npix, int64_t block, int ngang,
               enum remap_method method, const struct linalg *big,
               const struct linalg *small)
{
    *r = (struct remap){.comm = comm,
                        .method = method,
                        .ngang = ngang,
                        .big_context = -1,
                        .small_context = -1,
                        .message_max = REMAP_MESSAGE_MAX};
    int rc = grids_open(r, npix, block); /* the same on every rank: arithmetic */
    if (rc != 0 || method != REMAP_SCALAPACK)
        return rc;
    r->big_context = big->context;
    r->small_context = small->context;
    memcpy(r->big_desc, big->desc, sizeof r->big_desc);
    memcpy(r->small_desc, small->desc, sizeof r->small_desc);
    return 0;
}

int64_t remap_pack_bytes(const struct remap *r)
{
    bool needed = r->method == REMAP_CUSTOM && r->ngang > 1;
    return needed ? grid_share_bytes(&r->big) : 0;
}

int64_t remap_receive_bytes(const struct remap *r)
{
    bool needed = r->method == REMAP_CUSTOM && r->ngang > 1;
    return needed ? grid_share_bytes(&r->small) : 0;
}

/* ------------------------------------------------------------ what two ranks share */

/* The blocks on grid coordinate a of `pa` and on b of `pb`: first, first + step, ...;
 * first is -1 if there are none. */
struct common {
    int64_t first, step;
    int64_t elements; /* in all these blocks, along this dimension */
};

static int gcd(int a, int b)
{
    return b == 0 ? a : gcd(b, a % b);
}

static struct common common_blocks(const struct grid *g, int a, int pa, int b, int pb)
{
    struct common c = {-1, (int64_t)pa / gcd(pa, pb) * pb, 0};
    int64_t blocks = units_div_up(g->npix, g->block);
    for (int64_t at = a; at < c.step && c.first < 0; at += pa)
        if (at % pb == b)
            c.first = at;
    if (c.first < 0 || c.first >= blocks) {
        c.first = -1;
        return c;
    }
    int64_t count = (blocks - 1 - c.first) / c.step + 1;
    int64_t last = c.first + (count - 1) * c.step;
    c.elements = count * g->block;
    if (last == blocks - 1)
        c.elements -= blocks * g->block - g->npix;
    return c;
}

/* The part that a rank of the big grid sends to a rank of a gang's grid. */
struct piece {
    struct common rows, cols;
};

static struct piece piece_of(const struct remap *r, int big_row, int big_col,
                             int small_row, int small_col)
{
    const struct grid *b = &r->big, *s = &r->small;
    return (struct piece){common_blocks(b, big_row, b->rows, small_row, s->rows),
                          common_blocks(b, big_col, b->cols, small_col, s->cols)};
}

static int64_t piece_elements(const struct piece *p)
{
    return p->rows.elements * p->cols.elements;
}

static int64_t block_length(const struct grid *g, int64_t block)
{
    int64_t left = g->npix - block * g->block;
    return left < g->block ? left : g->block;
}

/* Copies one column of a piece between a share and its packed form; returns
 * its length. */
static int64_t column_copy(const struct piece *p, const struct grid *g, double *share,
                           double *packed, bool pack)
{
    int64_t done = 0, blocks = units_div_up(g->npix, g->block);
    for (int64_t b = p->rows.first; b < blocks; b += p->rows.step) {
        int64_t n = block_length(g, b);
        double *at = share + grid_local_row(g, b * g->block);
        memcpy(pack ? packed + done : at, pack ? at : packed + done,
               (size_t)n * sizeof *at);
        done += n;
    }
    return done;
}

/* Copies a piece between a share of grid `g` and its packed form, in the global order
 * of columns and of rows within them, which both grids agree on. Only unpacking writes
 * to `share`. */
static void piece_copy(const struct piece *p, const struct grid *g, double *share,
                       double *packed, bool pack)
{
    int64_t blocks = units_div_up(g->npix, g->block);
    if (piece_elements(p) == 0)
        return;
    for (int64_t b = p->cols.first; b < blocks; b += p->cols.step) {
        double *column = share + grid_local_col(g, b * g->block) * g->local_rows;
        for (int64_t n = block_length(g, b); n > 0; n--) {
            packed += column_copy(p, g, column, packed, pack);
            column += g->local_rows;
        }
    }
}

/* ------------------------------------------------------------ messages */

/* Requests in flight, and MPI's first error code. */
struct exchange {
    const struct remap *r;
    MPI_Request *requests;
    int count, code;
};

static void exchange_note(struct exchange *x, int code)
{
    if (x->code == MPI_SUCCESS)
        x->code = code;
}

static int exchange_verdict(const struct exchange *x)
{
    char why[MPI_MAX_ERROR_STRING];
    int length;
    if (x->code == MPI_SUCCESS)
        return 0;
    MPI_Error_string(x->code, why, &length);
    return err_set(-EIO, NULL, -1, "moving a matrix between process grids failed: %s",
                   why);
}

/* Starts one message, or several if it is too long for one. Messages between two ranks
 * do not overtake each other, so one tag suffices. */
static void exchange_start(struct exchange *x, double *data, int64_t n, int peer,
                           bool send)
{
    int64_t most = x->r->message_max / (int64_t)sizeof *data;
    for (int64_t at = 0; at < n; at += most) {
        int count = (int)(n - at < most ? n - at : most);
        MPI_Request *q = &x->requests[x->count];
        int code =
            send ? MPI_Isend(data + at, count, MPI_DOUBLE, peer, 0, x->r->comm, q)
                 : MPI_Irecv(data + at, count, MPI_DOUBLE, peer, 0, x->r->comm, q);
        x->count += code == MPI_SUCCESS;
        exchange_note(x, code);
    }
}

/* Waits for all, in order; with a tick, tests them and calls it in turn. */
static void exchange_finish(struct exchange *x, struct tick *t)
{
    for (int i = 0; i < x->count;) {
        int done = 1, code;
        if (t == NULL)
            code = MPI_Wait(&x->requests[i], MPI_STATUS_IGNORE);
        else
            code = MPI_Test(&x->requests[i], &done, MPI_STATUS_IGNORE);
        exchange_note(x, code);
        i += done || code != MPI_SUCCESS;
        tick_poll(t);
    }
}

/* ------------------------------------------------------------ custom */

/* The step between peers. The ranks of the other grid that can share a block with
 * coordinate `mine` of `pm` are those congruent to it modulo gcd(pm, po): coordinates
 * mine % gcd, + gcd, ... */
static int peers_step(int pm, int po)
{
    return gcd(pm, po);
}

/* Packs a piece for every rank of the gang that shares blocks with us, and sends it
 * while packing the next. Our own goes directly into the receive buffer at `self`. */
static void pieces_send(struct exchange *x, int gang, const double *from, double *pack,
                        double *self)
{
    const struct grid *b = &x->r->big, *s = &x->r->small;
    int row_step = peers_step(b->rows, s->rows);
    int col_step = peers_step(b->cols, s->cols);
    for (int row = b->row % row_step; row < s->rows; row += row_step) {
        for (int col = b->col % col_step; col < s->cols; col += col_step) {
            int peer = gang * s->ranks + row * s->cols + col;
            struct piece p = piece_of(x->r, b->row, b->col, row, col);
            double *to = peer == b->rank ? self : pack;
            piece_copy(&p, b, (double *)from, to, true);
            if (peer == b->rank)
                continue;
            exchange_start(x, pack, piece_elements(&p), peer, true);
            pack += piece_elements(&p);
        }
    }
}

/* Visits the pieces that this rank of the gang gets, in the receive buffer one
 * after the other: unpacks them into `to`, or posts receives. Returns the place of
 * our own. */
static double *pieces_receive(struct exchange *x, double *to, double *receive,
                              bool unpack)
{
    const struct grid *b = &x->r->big, *s = &x->r->small;
    double *self = receive;
    int row_step = peers_step(s->rows, b->rows);
    int col_step = peers_step(s->cols, b->cols);
    for (int row = s->row % row_step; row < b->rows; row += row_step) {
        for (int col = s->col % col_step; col < b->cols; col += col_step) {
            int peer = row * b->cols + col;
            struct piece p = piece_of(x->r, row, col, s->row, s->col);
            if (unpack)
                piece_copy(&p, s, to, receive, false);
            else if (peer == b->rank)
                self = receive;
            else
                exchange_start(x, receive, piece_elements(&p), peer, false);
            receive += piece_elements(&p);
        }
    }
    return self;
}

/* Allocates enough requests for one message per peer and one more per
 * message_max bytes. */
static int remap_exchange_open(struct exchange *x, const struct remap *r)
{
    int64_t peers = (int64_t)r->big.ranks + r->small.ranks;
    int64_t bytes = grid_share_bytes(&r->big) + grid_share_bytes(&r->small);
    int64_t n = peers + bytes / r->message_max;
    *x = (struct exchange){.r = r, .code = MPI_SUCCESS};
    x->requests = mem_new(n, sizeof *x->requests, "requests");
    if (x->requests == NULL)
        return -ENOMEM;
    return 0;
}

static int custom_matrix(const struct remap *r, int gang, const double *from,
                         double *to, double *pack, double *receive)
{
    struct exchange x;
    int rc = err_agree(r->comm, remap_exchange_open(&x, r));
    if (rc == 0) {
        double *self = NULL;
        bool ours = gang == r->gang;
        if (ours)
            self = pieces_receive(&x, to, receive, false);
        pieces_send(&x, gang, from, pack, self);
        exchange_finish(&x, NULL);
        if (ours)
            pieces_receive(&x, to, receive, true);
        rc = err_agree(r->comm, exchange_verdict(&x));
    }
    free(x.requests);
    return rc;
}

/* ------------------------------------------------------------ scalapack and all */

/* Calls pdgemr2d, which needs every rank of the big context; a rank outside the gang
 * passes a context of -1 and gets the gang's grid from the others. */
static int scalapack_matrix(const struct remap *r, int gang, const double *from,
                            double *to)
{
    int desc[DESC_SIZE];
    memcpy(desc, r->small_desc, sizeof desc);
    if (gang != r->gang)
        desc[DESC_CONTEXT] = -1;
    int n = (int)r->big.npix;
    Cpdgemr2d(n, n, from, 1, 1, r->big_desc, to, 1, 1, desc, r->big_context);
    return 0;
}

int remap_matrix(const struct remap *r, int gang, const double *from, double *to,
                 double *pack, double *receive)
{
    if (r->ngang == 1) {
        if (from != to)
            memcpy(to, from, (size_t)grid_share_bytes(&r->big));
        return 0;
    }
    if (r->method == REMAP_SCALAPACK)
        return scalapack_matrix(r, gang, from, to);
    return custom_matrix(r, gang, from, to, pack, receive);
}

int remap_rotate(const struct remap *r, const double *out, double *in, struct tick *t)
{
    int64_t n = grid_share_elements(&r->small);
    int64_t most = r->message_max / (int64_t)sizeof *in;
    int ranks = r->big.ranks, members = r->small.ranks;
    int next = (r->big.rank + members) % ranks;
    int last = (r->big.rank + ranks - members) % ranks;
    if (r->ngang == 1) {
        memcpy(in, out, (size_t)grid_share_bytes(&r->small));
        return 0;
    }
    MPI_Request pair[2];
    struct exchange x = {.r = r, .requests = pair, .code = MPI_SUCCESS};
    for (int64_t at = 0; at < n; at += most) {
        int64_t count = n - at < most ? n - at : most;
        x.count = 0;
        exchange_start(&x, in + at, count, last, false);
        exchange_start(&x, (double *)out + at, count, next, true);
        exchange_finish(&x, t);
    }
    return err_agree(r->comm, exchange_verdict(&x));
}
