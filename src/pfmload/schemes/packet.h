/* The packets that slaves of schemes E and F send: a block of soundings of one bin,
 * packed as in the .ndx except for its pointer, after a key that orders packets by bin,
 * full ones first. */
#ifndef PFMLOAD_SCHEMES_PACKET_H
#define PFMLOAD_SCHEMES_PACKET_H

#include "hydro/pfm_pack.h"
#include "pfmload/input/load.h"
#include <string.h>

/* Bytes of the key; and the factor of the bin in it: 16 bits hold the number of
 * soundings that a block lacks. */
enum { PACKET_KEY = 8, PACKET_LACK = 65536 };

/* Local. The size of a packet, a multiple of 8. */
static inline int64_t packet_bytes(const struct pfm_head *h)
{
    return PACKET_KEY + (h->block_bytes + 7) / 8 * 8;
}

static inline uint64_t packet_key(const uint8_t *packet)
{
    uint64_t key;
    memcpy(&key, packet, sizeof key);
    return key;
}

static inline const uint8_t *packet_block(const uint8_t *packet)
{
    return packet + PACKET_KEY;
}

static inline int64_t packet_bin(const uint8_t *packet)
{
    return (int64_t)(packet_key(packet) / PACKET_LACK);
}

static inline int64_t packet_soundings(const struct pfm_head *h, const uint8_t *packet)
{
    return h->record_length - (int64_t)(packet_key(packet) % PACKET_LACK);
}

/* Local. Fills a packet with n <= h->record_length soundings of one bin. */
static inline void packet_put(const struct pfm_head *h, uint8_t *packet,
                              const struct pfm_sounding *s, int64_t n)
{
    uint64_t key = (uint64_t)s->bin * PACKET_LACK + (uint64_t)(h->record_length - n);
    memset(packet, 0, (size_t)packet_bytes(h));
    memcpy(packet, &key, sizeof key);
    pfm_put_soundings(h, packet + PACKET_KEY, 0, s, n);
}

/* ---- groupers -------------------------------------------------------------------- */

/* **Collective**, as load_ready is called first. Does a slave's part, from its first
 * item to the last packet (packet.h); full blocks are sent as soon as there are about
 * as many new soundings as leftovers. The I/O node gets any number of full packets of
 * each bin, and after these at most one that is not full. Memory: --memory, half of it
 * for the soundings that are read, half of it for leftovers, which go to scratch files
 * beyond that. */
void grouper_slave(struct load *l);

#endif
