/* Reads the head of a FITS image with CFITSIO; without it (no HAVE_CFITSIO) such images
 * are refused. */
#include "base/err.h"
#include "outcore/resample/job.h"
#include <errno.h>

#ifdef HAVE_CFITSIO
#include <fitsio.h>
#include <math.h>

enum { AXES = 9 };

static int refused(const char *path, const char *what, int status)
{
    char why[FLEN_STATUS] = "";
    fits_get_errstatus(status, why);
    fits_clear_errmsg();
    return err_set(-EINVAL, path, -1,
                   "CFITSIO cannot read %s: %s: the file was cut short, or its head is "
                   "wrong",
                   what, why);
}

/* Reads an optional key: *x stays if it is missing. Returns CFITSIO's status. */
static int read_key(fitsfile *f, int type, const char *name, void *x, bool *there)
{
    int status = 0;
    fits_read_key(f, type, name, x, NULL, &status);
    if (there)
        *there = !status;
    if (status != KEY_NO_EXIST)
        return status;
    fits_clear_errmsg();
    return 0;
}

/* True if the image has two axes, not counting those of length 1. */
static bool has_two_axes(int n, const LONGLONG size[AXES])
{
    bool two = n >= 2 && n <= AXES;
    for (int i = 2; i < n && two; i++)
        two = size[i] == 1;
    return two;
}

/* Finds the first part of the file that is such an image. */
static int find_image(fitsfile *f, struct image *m, const char *path)
{
    int status = 0;
    for (int part = 1; !status; part++) {
        LONGLONG size[AXES] = {0};
        int n = 0, type = IMAGE_HDU;
        fits_get_hdu_type(f, &type, &status);
        if (!status && type == IMAGE_HDU && fits_is_compressed_image(f, &status))
            return err_set(-EINVAL, path, -1,
                           "part %d of this FITS file is a compressed image: unpack it "
                           "first, as with funpack",
                           part);
        if (!status && type == IMAGE_HDU)
            fits_get_img_paramll(f, AXES, &m->fits.bitpix, &n, size, &status);
        if (status)
            break;
        m->width = size[0];
        m->height = size[1];
        if (type == IMAGE_HDU && has_two_axes(n, size))
            return 0;
        fits_movrel_hdu(f, 1, NULL, &status);
    }
    if (status != END_OF_FILE)
        return refused(path, "the parts of this FITS file", status);
    fits_clear_errmsg();
    return err_set(-EINVAL, path, -1, "this FITS file has no image of two axes");
}

static int read_pixels(fitsfile *f, struct image *m, const char *path)
{
    struct image_fits *p = &m->fits;
    LONGLONG blank = 0, head = 0;
    p->scale = 1;
    int status = read_key(f, TDOUBLE, "BSCALE", &p->scale, NULL);
    if (!status)
        status = read_key(f, TDOUBLE, "BZERO", &p->zero, NULL);
    if (!status && p->bitpix > 0)
        status = read_key(f, TLONGLONG, "BLANK", &blank, &p->has_blank);
    if (!status)
        fits_get_hduaddrll(f, NULL, &head, NULL, &status);
    if (status)
        return refused(path, "the head of its image", status);
    if (!isfinite(p->zero) || !isfinite(p->scale) || fpclassify(p->scale) == FP_ZERO)
        return err_set(-EINVAL, path, -1,
                       "BSCALE %g and BZERO %g of its image: all pixels would be alike",
                       p->scale, p->zero);
    p->blank = blank;
    m->head = head;
    return 0;
}

/* Sets the kind of pixels: signed numbers, and those that are scaled or may be blank,
 * become 32-bit floating-point ones. */
static void settle_kind(struct image *m)
{
    struct image plain = {.bits = m->bits, .kind = IMAGE_UNSIGNED};
    image_to_fits(&plain);
    bool is_plain = m->fits.bitpix == plain.fits.bitpix && m->bits <= 16 &&
                    !m->fits.has_blank &&
                    !islessgreater(m->fits.zero, plain.fits.zero) &&
                    !islessgreater(m->fits.scale, plain.fits.scale);
    m->kind = is_plain ? IMAGE_UNSIGNED : IMAGE_FLOAT;
}

static int fits_check_size(const struct image *m, int64_t bytes, const char *path)
{
    if (m->head >= 0 && m->head <= bytes &&
        m->height <= (bytes - m->head) / m->row_bytes)
        return 0;
    return err_set(-EINVAL, path, bytes,
                   "the head says %lld x %lld pixels of %d bits from byte %lld on; the "
                   "file has %lld bytes, which is less: it was cut short, or its head "
                   "is wrong",
                   (long long)m->width, (long long)m->height, m->bits,
                   (long long)m->head, (long long)bytes);
}

int fits_parse(struct image *m, int64_t file_bytes, const char *path)
{
    fitsfile *f = NULL;
    int status = 0, ignored = 0;
    *m = (struct image){0};
    if (fits_open_diskfile(&f, path, READONLY, &status))
        return refused(path, "this FITS file", status);
    int rc = find_image(f, m, path);
    if (!rc)
        rc = read_pixels(f, m, path);
    fits_close_file(f, &ignored);
    fits_clear_errmsg();
    if (rc)
        return rc;
    m->bits = m->fits.bitpix < 0 ? -m->fits.bitpix : m->fits.bitpix;
    settle_kind(m);
    rc = image_settle(m, 1, path);
    return rc ? rc : fits_check_size(m, file_bytes, path);
}

#else /* no CFITSIO */

int fits_parse(struct image *m, int64_t file_bytes, const char *path)
{
    (void)m;
    (void)file_bytes;
    return err_set(-ENOTSUP, path, 0,
                   "this is a FITS image, and this program was built without CFITSIO: "
                   "give it a raw one (.llimg)");
}

#endif
