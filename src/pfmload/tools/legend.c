#include "pfmload/tools/legend.h"
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* Pixels: above the colours, and thrice that below; their width; a dot of type. */
enum { MARGIN = 30, BAR = 26, TYPE = 2 };

const uint8_t legend_grey[3] = {222, 222, 222};

/* ---- colours -------------------------------------------------------------------- */

/* From shoal to deep, as charts of multibeam surveys have them. */
void legend_colour(const struct legend *l, double z, double rgb[3])
{
    static const double stop[][3] = {{215, 35, 30}, {245, 140, 30}, {250, 225, 60},
                                     {90, 190, 70}, {50, 185, 200}, {40, 100, 205},
                                     {50, 40, 150}, {95, 30, 130}};
    const int parts = sizeof stop / sizeof *stop - 1;
    double at = l->high > l->low ? (z - l->low) / (l->high - l->low) * parts : 0;
    at = fmax(0, fmin(at, parts));
    int i = at >= parts ? parts - 1 : (int)at;
    for (int k = 0; k < 3; k++)
        rgb[k] = stop[i][k] + (at - i) * (stop[i + 1][k] - stop[i][k]);
}

/* ---- type ----------------------------------------------------------------------- */

/* Seven rows of five bits. */
static const struct {
    char sign;
    uint8_t row[7];
} type[] = {
    {'0', {0x0e, 0x11, 0x13, 0x15, 0x19, 0x11, 0x0e}},
    {'1', {0x04, 0x0c, 0x04, 0x04, 0x04, 0x04, 0x0e}},
    {'2', {0x0e, 0x11, 0x01, 0x02, 0x04, 0x08, 0x1f}},
    {'3', {0x1f, 0x02, 0x04, 0x02, 0x01, 0x11, 0x0e}},
    {'4', {0x02, 0x06, 0x0a, 0x12, 0x1f, 0x02, 0x02}},
    {'5', {0x1f, 0x10, 0x1e, 0x01, 0x01, 0x11, 0x0e}},
    {'6', {0x06, 0x08, 0x10, 0x1e, 0x11, 0x11, 0x0e}},
    {'7', {0x1f, 0x01, 0x02, 0x04, 0x08, 0x08, 0x08}},
    {'8', {0x0e, 0x11, 0x11, 0x0e, 0x11, 0x11, 0x0e}},
    {'9', {0x0e, 0x11, 0x11, 0x0f, 0x01, 0x02, 0x0c}},
    {'.', {0x00, 0x00, 0x00, 0x00, 0x00, 0x0c, 0x0c}},
    {'-', {0x00, 0x00, 0x00, 0x0e, 0x00, 0x00, 0x00}},
    {'m', {0x00, 0x00, 0x1a, 0x15, 0x15, 0x11, 0x11}},
    {'k', {0x10, 0x10, 0x12, 0x14, 0x18, 0x14, 0x12}},
};

static void dot(const struct legend *l, int64_t x, int64_t y, const uint8_t rgb[3])
{
    if (x >= 0 && x < LEGEND_WIDTH && y >= 0 && y < l->height)
        memcpy(l->rgb + (y * LEGEND_WIDTH + x) * 3, rgb, 3);
}

static void box(const struct legend *l, int64_t x, int64_t y, int64_t width,
                int64_t height)
{
    static const uint8_t black[3];
    for (int64_t j = 0; j < height; j++)
        for (int64_t i = 0; i < width; i++)
            dot(l, x + i, y + j, black);
}

static void write(const struct legend *l, int64_t x, int64_t y, const char *text)
{
    for (; *text; text++, x += 6 * TYPE)
        for (size_t g = 0; g < sizeof type / sizeof *type; g++)
            for (int i = 0; i < 35 && type[g].sign == *text; i++)
                if (type[g].row[i / 5] & 0x10 >> i % 5)
                    box(l, x + i % 5 * TYPE, y + i / 5 * TYPE, TYPE, TYPE);
}

/* ---- what it says --------------------------------------------------------------- */

/* The largest of 1, 2 and 5 times a power of ten that is not above `most`. */
static double round_step(double most)
{
    double power = pow(10, floor(log10(most))), part = most / power;
    return (part >= 5 ? 5 : part >= 2 ? 2 : 1) * power;
}

/* Depths beside the colours, at least two lines of type apart. */
static void draw_depths(const struct legend *l)
{
    char text[32];
    int64_t bar = l->height - 4 * MARGIN;
    double range = l->high - l->low;
    double step = range > 0 ? round_step(range / (double)bar * 80) : 1;
    int decimals = step < 1 ? (int)ceil(-log10(step) - 1e-9) : 0;
    for (int64_t y = 0; y < bar; y++) {
        double rgb[3];
        legend_colour(l, l->low + range * (double)y / (double)bar, rgb);
        uint8_t pixel[3] = {(uint8_t)rgb[0], (uint8_t)rgb[1], (uint8_t)rgb[2]};
        for (int64_t x = 0; x < BAR; x++)
            dot(l, 12 + x, MARGIN + y, pixel);
    }
    for (double i = ceil(l->low / step); i * step <= l->high; i++) {
        int64_t y = MARGIN;
        y += range > 0 ? (int64_t)((i * step - l->low) / range * (double)bar) : 0;
        snprintf(text, sizeof text, "%.*f", decimals, i * step + 0.0);
        box(l, 12 + BAR, y, 6, 2);
        write(l, 12 + BAR + 10, y - 3 * TYPE, text);
    }
    write(l, 12 + BAR + 10, 6, "m");
}

/* A bar that is some round length on the ground. */
static void draw_scale(const struct legend *l)
{
    char text[32];
    double metres = round_step((LEGEND_WIDTH - 24) * l->pixel_m);
    bool km = metres >= 1000;
    int64_t y = l->height - MARGIN;
    snprintf(text, sizeof text, "%g %s", km ? metres / 1000 : metres, km ? "km" : "m");
    box(l, 12, y, (int64_t)(metres / l->pixel_m), 3);
    write(l, 12, y - 10 * TYPE, text);
}

void legend_draw(const struct legend *l)
{
    for (int64_t i = 0; i < l->height * LEGEND_WIDTH; i++)
        memcpy(l->rgb + 3 * i, legend_grey, sizeof legend_grey);
    if (l->low <= l->high)
        draw_depths(l);
    draw_scale(l);
}
