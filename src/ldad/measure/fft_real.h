/* The body of fft_math.c for one precision. It is included once for each, with REAL and
 * NAME defined. */

struct NAME(number) {
    REAL re, im;
};

static void NAME(roots)(void *roots, int64_t length)
{
    struct NAME(number) *w = roots;
    for (int64_t k = 0; k < length / 2; k++) {
        double re, im;
        fft_root(k, length, &re, &im);
        w[k].re = (REAL)re;
        w[k].im = (REAL)im;
    }
}

static void NAME(transpose)(void *lines, const void *panel, int64_t rows,
                            int64_t columns)
{
    struct NAME(number) *out = lines;
    const struct NAME(number) *in = panel;
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < columns; j++)
            out[j * rows + i] = in[i * columns + j];
}

/* Moves each element to the place whose index has its bits in reverse. */
static void NAME(reverse)(struct NAME(number) * z, int64_t length)
{
    for (int64_t i = 0, j = 0; i < length; i++) {
        if (i < j) {
            struct NAME(number) swap = z[i];
            z[i] = z[j];
            z[j] = swap;
        }
        int64_t bit = length / 2;
        for (; bit && (j & bit); bit /= 2)
            j ^= bit;
        j |= bit;
    }
}

static void NAME(line)(struct NAME(number) * z, int64_t length,
                       const struct NAME(number) * w, int64_t longest)
{
    NAME(reverse)(z, length);
    for (int64_t half = 1; half < length; half *= 2)
        for (int64_t at = 0; at < length; at += 2 * half)
            for (int64_t k = 0; k < half; k++) {
                struct NAME(number) *a = &z[at + k], *b = a + half;
                const struct NAME(number) *t = &w[k * (longest / (2 * half))];
                REAL re = b->re * t->re - b->im * t->im;
                REAL im = b->re * t->im + b->im * t->re;
                b->re = a->re - re;
                b->im = a->im - im;
                a->re += re;
                a->im += im;
            }
}

static void NAME(lines)(void *lines, int64_t count, int64_t length, const void *roots,
                        int64_t longest)
{
    struct NAME(number) *z = lines;
    for (int64_t i = 0; i < count; i++)
        NAME(line)(z + i * length, length, roots, longest);
}

static void NAME(twiddle)(void *lines, int64_t first, int64_t count, int64_t length,
                          int64_t n)
{
    struct NAME(number) *z = lines;
    for (int64_t j = first; j < first + count; j++)
        for (int64_t k = 0; k < length; k++, z++) {
            double re, im, old = z->re;
            fft_root(j * k, n, &re, &im); /* j k < n */
            z->re = (REAL)(old * re - z->im * im);
            z->im = (REAL)(old * im + z->im * re);
        }
}

static void NAME(put)(void *lines, int64_t i, double re, double im)
{
    struct NAME(number) *z = lines;
    z[i].re = (REAL)re;
    z[i].im = (REAL)im;
}

static void NAME(get)(const void *lines, int64_t i, double *re, double *im)
{
    const struct NAME(number) *z = lines;
    *re = z[i].re;
    *im = z[i].im;
}

const struct fft_math NAME(fft) = {.element = sizeof(struct NAME(number)),
                                   .roots = NAME(roots),
                                   .transpose = NAME(transpose),
                                   .lines = NAME(lines),
                                   .twiddle = NAME(twiddle),
                                   .put = NAME(put),
                                   .get = NAME(get)};
