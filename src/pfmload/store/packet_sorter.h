/* Packets of schemes E and F (packet.h), or any records of one size that begin with a
 * key, by their keys: an external sort in memory of a given size, which moves a packet
 * once. Those with equal keys stay in the order in which they came. */
#ifndef PFMLOAD_STORE_PACKET_SORTER_H
#define PFMLOAD_STORE_PACKET_SORTER_H

#include "pfmload/store/sorter.h"

struct packet_sorter;

/* Local. For packets of `packet_bytes`, a multiple of 8, of which the first 8 are the
 * key. Otherwise as sorter_open. */
int packet_sorter_open(struct packet_sorter **s, int64_t packet_bytes,
                       int64_t memory_bytes, const char *scratch,
                       const struct spill_io *io);

/* Local. Takes copies of n packets, one after another. Returns 0, or -errno with a
 * sentence that names the scratch file, as the next two do. */
int packet_sorter_add(struct packet_sorter *s, const uint8_t *packets, int64_t n);

/* Local. No more are added. */
int packet_sorter_finish(struct packet_sorter *s);

/* Local. The next packet, which is there until the next call; NULL: there is none. */
int packet_sorter_next(struct packet_sorter *s, const uint8_t **packet);

/* Local. What has been done so far; of soundings, packets are counted. */
const struct sorter_counts *packet_sorter_counts(const struct packet_sorter *s);
void packet_sorter_close(struct packet_sorter **s); /* Local. NULL is left. */

#endif
