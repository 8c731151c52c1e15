/* mpi: any */
/* The devices below a file system, by made-up mounts and devices, and the stripes of
 * files, by attributes as Lustre writes them and by the output of tools. */
#include "tap.h"

#include "base/program.h"
#include "base/scratch.h"
#include "io/engine.h"
#include "io/fs/mounts.h"
#include "iotrace/format/lustre.c" /* the recorder is no library */

static char root[TAP_PATH];

/* ---- a tree of mounts and devices ------------------------------------------------ */

static const char *at(const char *path)
{
    static char out[4][TAP_PATH * 2];
    static int i;
    char *to = out[i++ % 4];
    snprintf(to, sizeof out[0], "%s/%s", root, path);
    return to;
}

static void make_folders(const char *file)
{
    char path[TAP_PATH * 2];
    snprintf(path, sizeof path, "%s", file);
    for (char *c = path + strlen(root) + 1; *c; c++)
        if (*c == '/') {
            *c = 0;
            mkdir(path, 0700);
            *c = '/';
        }
}

static void put(const char *path, const char *text)
{
    make_folders(at(path));
    tap_put(at(path), text);
}

static void put_link(const char *path, const char *to)
{
    make_folders(at(path));
    unlink(at(path));
    if (symlink(to, at(path)))
        tap_diag("%s: no link", path);
}

/* Makes a disk 8:N in sysfs, with a file that tells its kind. */
static void disk(int n, const char *place, const char *file, const char *text)
{
    char path[256], to[256];
    snprintf(path, sizeof path, "sys/devices/%s/%s", place, file);
    put(path, text);
    snprintf(path, sizeof path, "sys/dev/block/8:%d", n);
    snprintf(to, sizeof to, "../../devices/%s", place);
    put_link(path, to);
}

static void mounted(const char *rest)
{
    char line[1024];
    snprintf(line, sizeof line, "22 1 0:5 / / rw - rootfs rootfs rw\n30 22 %s\n", rest);
    put("proc/self/mountinfo", line);
}

static struct io_stack s;
static char text[2048];

/* Checks the description of /m/x, with /m mounted in this way. */
static void below(const char *mount, enum io_reads reads, const char *expected)
{
    mounted(mount);
    stack_of("/m/x", root, &s);
    io_stack_text(&s, text, sizeof text);
    tap_ok(s.reads == reads && !strcmp(text, expected), "%s: %s, not \"%s\"",
           io_reads_text(s.reads), text, expected);
}

#define HOST "what its host has in memory is not known"
#define SERVERS "what its servers have in memory is not known"

static void test_disks(void)
{
    disk(0, "pci0/ata1/block/sda", "device/model", "ST4000NM0035\n");
    disk(1, "pci0/ata1/block/sda/sda1", "partition", "1\n");
    below("8:1 / /m rw,noatime shared:1 - ext4 /dev/sda1 rw", IO_READS_DEVICE,
          "ext4 on sda1");
    below("8:1 / /m\\040n rw - ext4 /dev/sda1 rw", IO_READS_UNKNOWN,
          "rootfs (what it stands on is not told)");
    mounted("8:1 / /m\\040n\\134\\177k rw - ext4 /dev/sda1 rw");
    stack_of("/m n\\\177k/x", root, &s);
    tap_ok(!strcmp(io_stack_text(&s, text, sizeof text), "ext4 on sda1"),
           "a mount point's blanks and other signs are octal numbers: %s", text);
    disk(2, "pci0/virtio3/block/vda", "size", "1\n");
    below("8:2 / /m rw - xfs /dev/vda rw", IO_READS_UNKNOWN,
          "xfs on vda (virtual disk, " HOST ")");
    disk(3, "pci0/nvme/nvme0/nvme0n1", "device/transport", "pcie\n");
    below("8:3 / /m rw - xfs /dev/nvme0n1 rw", IO_READS_DEVICE, "xfs on nvme0n1");
    disk(4, "virtual/nvme-fabrics/ctl/nvme1/nvme1n1", "device/transport", "tcp\n");
    below("8:4 / /m rw - xfs /dev/nvme1n1 rw", IO_READS_UNKNOWN,
          "xfs on nvme1n1 (NVMe over tcp, " SERVERS ")");
    disk(5, "virtual/nvme-subsystem/nvme-subsys2/nvme2n1", "size", "1\n");
    put("sys/devices/virtual/nvme-subsystem/nvme-subsys2/nvme2/transport", "rdma\n");
    put_link("sys/devices/virtual/nvme-subsystem/nvme-subsys2/nvme2n1/device", "..");
    below("8:5 / /m rw - xfs /dev/nvme2n1 rw", IO_READS_UNKNOWN,
          "xfs on nvme2n1 (NVMe over rdma, " SERVERS ")");
    disk(6, "pci0/ata2/block/sdb", "device/model", "QEMU HARDDISK\n");
    below("8:6 / /m rw - xfs /dev/sdb rw", IO_READS_UNKNOWN,
          "xfs on sdb (virtual disk, " HOST ")");
    disk(7, "platform/host3/session1/target/block/sdc", "device/model", "LUN\n");
    below("8:7 / /m rw - xfs /dev/sdc rw", IO_READS_UNKNOWN,
          "xfs on sdc (over the network, " SERVERS ")");
    disk(8, "virtual/block/zram0", "size", "1\n");
    below("8:8 / /m rw - ext4 /dev/zram0 rw", IO_READS_MEMORY,
          "ext4 on zram0 (memory)");
    disk(9, "virtual/block/ram1", "size", "1\n");
    below("8:9 / /m rw - ext4 /dev/ram1 rw", IO_READS_MEMORY, "ext4 on ram1 (memory)");
    disk(10, "virtual/block/nbd3", "size", "1\n");
    below("8:10 / /m rw - ext4 /dev/nbd3 rw", IO_READS_UNKNOWN,
          "ext4 on nbd3 (" SERVERS ")");
    disk(11, "rbd/block/rbd0", "size", "1\n");
    below("8:11 / /m rw - ext4 /dev/rbd0 rw", IO_READS_UNKNOWN,
          "ext4 on rbd0 (" SERVERS ")");
    disk(12, "virtual/block/drbd1", "size", "1\n");
    below("8:12 / /m rw - ext4 /dev/drbd1 rw", IO_READS_UNKNOWN,
          "ext4 on drbd1 (what its peer has in memory is not known)");
    disk(13, "virtual/block/what0", "size", "1\n");
    below("8:13 / /m rw - ext4 /dev/what0 rw", IO_READS_UNKNOWN,
          "ext4 on what0 (what it stands on is not told)");
    below("8:99 / /m rw - ext4 /dev/x rw", IO_READS_UNKNOWN,
          "ext4 on 8:99 (the kernel does not tell of it)");
}

static void test_made_of_others(void)
{
    disk(20, "virtual/block/dm-0", "dm/uuid", "CRYPT-LUKS2-0123-home\n");
    put_link("sys/devices/virtual/block/dm-0/slaves/sda1",
             "../../../../pci0/ata1/block/sda/sda1");
    below("8:20 / /m rw - ext4 /dev/mapper/home rw", IO_READS_DEVICE,
          "ext4 on dm-0 (CRYPT) on sda1");
    disk(21, "virtual/block/md0", "md/level", "raid0\n");
    put_link("sys/devices/virtual/block/md0/slaves/dm-0", "../../dm-0");
    put_link("sys/devices/virtual/block/md0/slaves/zram0", "../../zram0");
    mounted("8:21 / /m rw - xfs /dev/md0 rw");
    stack_of("/m/x", root, &s);
    tap_ok(s.n == 5 && s.reads == IO_READS_MEMORY && !strcmp(s.layer[1].kind, "md") &&
               s.layer[1].level == 1,
           "what one of several is decides: %s", io_stack_text(&s, text, sizeof text));
    disk(22, "virtual/block/dm-1", "dm/uuid", "\n");
    below("8:22 / /m rw - ext4 /dev/dm-1 rw", IO_READS_UNKNOWN,
          "ext4 on dm-1 (mapped, what it stands on is not told)");
    disk(23, "virtual/block/dm-2", "dm/uuid", "VDO-1\n");
    put_link("sys/devices/virtual/block/dm-2/slaves/dm-2", "../../dm-2");
    mounted("8:23 / /m rw - ext4 /dev/dm-2 rw");
    stack_of("/m/x", root, &s);
    tap_ok(s.n == IO_LAYERS && s.reads == IO_READS_UNKNOWN && s.compresses,
           "a device that stands on itself comes to an end");
}

static void test_loop(void)
{
    char expected[TAP_PATH * 3], line[TAP_PATH * 3];
    put("image", "x");
    disk(30, "virtual/block/loop0", "loop/dio", "0\n");
    snprintf(line, sizeof line, "%s\n", at("image"));
    put("sys/devices/virtual/block/loop0/loop/backing_file", line);
    snprintf(line, sizeof line,
             "8:30 / /m rw - ext4 /dev/loop0 rw\n31 22 8:1 / %s rw - xfs /dev/sda1 rw",
             root);
    snprintf(expected, sizeof expected,
             "ext4 on loop0 (image %.200s through the page cache) on xfs on sda1",
             at("image"));
    below(line, IO_READS_CACHE, expected);
    tap_ok(!strcmp(s.image, at("image")), "the image can be looked at: %s", s.image);
    put("sys/devices/virtual/block/loop0/loop/dio", "1\n");
    snprintf(expected, sizeof expected,
             "ext4 on loop0 (image %.200s with direct I/O) on xfs on sda1",
             at("image"));
    below(line, IO_READS_DEVICE, expected);
    tap_ok(!s.image[0], "no page cache is below then");
    put("sys/devices/virtual/block/loop0/loop/backing_file", "/gone/x (deleted)\n");
    below(line, IO_READS_UNKNOWN,
          "ext4 on loop0 (image /gone/x (deleted) with direct I/O) on "
          "/gone/x (deleted) (it cannot be looked at)");
}

static void test_no_device(void)
{
    char line[TAP_PATH * 4], expected[TAP_PATH * 3];
    below("0:40 / /m rw - tmpfs none rw", IO_READS_MEMORY, "tmpfs (memory)");
    below("0:40 / /m rw - nfs4 server:/x rw,vers=4.2", IO_READS_UNKNOWN,
          "nfs4 (" SERVERS ")");
    below("0:40 / /m rw - lustre 1@tcp:/x rw", IO_READS_UNKNOWN,
          "lustre (" SERVERS ")");
    below("0:40 / /m rw - 9p share rw,trans=virtio", IO_READS_CACHE,
          "9p (its host may serve reads from its page cache)");
    below("0:40 / /m rw - virtiofs share rw", IO_READS_CACHE,
          "virtiofs (its host may serve reads from its page cache)");
    below("0:40 / /m rw - fuse.thing /dev/fuse rw", IO_READS_CACHE,
          "fuse.thing (the process that serves it may read through the page cache)");
    below("0:40 / /m rw - fuse.ldad ldad ro", IO_READS_CACHE,
          "fuse.ldad (ldad reads partitions through the page cache)");
    below("0:40 / /m rw - fuse.glusterfs h:/v rw", IO_READS_UNKNOWN,
          "fuse.glusterfs (" SERVERS ")");
    below("8:1 / /m rw - fuseblk /dev/sda1 rw", IO_READS_CACHE,
          "fuseblk (the process that serves it may read through the page cache) on "
          "sda1");
    below("0:40 / /m rw - zfs pool/x rw", IO_READS_CACHE,
          "zfs (it has a cache of its own in memory)");
    below("0:40 / /m rw - other thing rw", IO_READS_UNKNOWN,
          "other (what it stands on is not told)");
    below("0:40 / /m rw - btrfs /nowhere/sda1 rw,compress=zstd:3", IO_READS_UNKNOWN,
          "btrfs on /nowhere/sda1 (it cannot be looked at)");
    tap_ok(s.compresses, "btrfs may compress");
    put("upper/x", "");
    snprintf(line, sizeof line,
             "0:40 / /m rw - overlay o rw,lowerdir=/l,upperdir=%s,workdir=/w\n"
             "31 22 8:8 / %s rw - ext4 /dev/zram0 rw",
             at("upper"), root);
    snprintf(expected, sizeof expected,
             "overlay (upper layer %.200s) on ext4 on zram0 (memory)", at("upper"));
    below(line, IO_READS_MEMORY, expected);
    below("0:40 / /m rw - overlay o rw,lowerdir=/l,upperdir=/of/a/host,workdir=/w",
          IO_READS_UNKNOWN,
          "overlay (upper layer /of/a/host) on /of/a/host (it cannot be looked at)");
}

/* The test's own directory has a storage stack, too. */
static void test_here(void)
{
    err_clear();
    tap_ok(io_stack_of(".", &s) == 0 && s.n > 0 && s.reads > IO_READS_BELOW, "here: %s",
           io_stack_text(&s, text, sizeof text));
    tap_ok(io_stack_of(at("nowhere"), &s) == -ENOENT, "what is not there is refused");
    err_clear();
}

/* ---- Lustre's layouts ------------------------------------------------------------ */

static unsigned char lov[1024];
static size_t lov_bytes;

static void le(uint64_t value, int bytes)
{
    for (int i = 0; i < bytes; i++)
        lov[lov_bytes++] = (unsigned char)(value >> 8 * i);
}

/* Makes lov_user_md_v1, or v3 with its pool, and objects. */
static void layout(uint32_t magic, uint32_t pattern, uint32_t size, int count,
                   int objects)
{
    le(magic, 4);
    le(pattern, 4);
    le(0x200000401, 8); /* id of the object: sequence and number */
    le(17, 8);
    le(size, 4);
    le((uint64_t)count, 2);
    le(0, 2);
    if (magic != 0x0BD10BD0)
        for (int i = 0; i < 16; i++)
            le((uint64_t) "flash\0\0\0\0\0\0\0\0\0\0\0"[i], 1);
    for (int i = 0; i < objects; i++) {
        le(0x100000000, 8);
        le((uint64_t)(1000 + i), 8);
        le(0, 4);
        le((uint64_t)i, 4);
    }
}

/* Makes lov_comp_md_v1; each entry follows, then each layout. */
static void composite_head(int entries, int mirrors)
{
    lov_bytes = 0;
    le(0x0BD60BD0, 4);
    le(0, 4); /* the size is set at the end */
    le(3, 4);
    le(0, 2);
    le((uint64_t)entries, 2);
    le((uint64_t)mirrors - 1, 2);
    le(0, 6);
    le(0, 8);
}

static void entry(int id, int mirror, uint32_t flags, uint64_t from, uint64_t to,
                  uint32_t offset, uint32_t size)
{
    le((uint64_t)(mirror << 16 | id), 4);
    le(flags, 4);
    le(from, 8);
    le(to, 8);
    le(offset, 4);
    le(size, 4);
    le(1, 4);
    le(0, 8);
    le(0, 4);
}

static void striped(int64_t bytes, int64_t size, int64_t count, const char *about)
{
    struct io_stripes found;
    int rc = lov_stripes(lov, lov_bytes, bytes, &found);
    uint32_t by_recorder[2] = {(uint32_t)size, (uint32_t)count};
    if (bytes == 0)
        lustre_stripes(lov, lov_bytes, &by_recorder[0], &by_recorder[1]);
    tap_ok(
        !rc && found.bytes == size && found.count == count && by_recorder[0] == size &&
            by_recorder[1] == count && !strcmp(found.about, about),
        "%lld x %lld, %s", (long long)found.count, (long long)found.bytes, found.about);
    for (size_t n = 0; n < lov_bytes; n++) { /* under ASan: no byte behind it is read */
        unsigned char *cut = malloc(n + 1);
        if (cut)
            lov_stripes(memcpy(cut, lov, n), n, bytes, &found);
        if (cut)
            lustre_stripes(cut, n, &by_recorder[0], &by_recorder[1]);
        free(cut);
    }
}

#define COMPONENT 32 + 3 * 48

static void test_striping(void)
{
    static const struct {
        const char *text;
        int64_t count, bytes;
    } good[] = {{"4", 4, 0},
                {"4,1M", 4, 1 << 20},
                {"all", -1, 0},
                {"all,64k", -1, 1 << 16},
                {"2000,4095M", 2000, INT64_C(4095) << 20}};
    static const char *const bad[] = {
        "0",   "-1",     "x",      "4,",  "4,1000",
        "4,0", "2001",   "4,4G",   "",    "all4",
        "4,x", "4,1M,2", "1x,64k", ",1M", "999999999999999999"};
    const struct io_fs ext4 = {.type = "ext4"}, lustre = {.type = "lustre"};
    struct io_striping want;
    int refused = 0;

    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        tap_ok(!io_striping_parse(good[i].text, &want) && want.count == good[i].count &&
                   want.bytes == good[i].bytes,
               "--stripe=%s", good[i].text);
        lov_bytes = LOV_BYTES;
        lov_make(&want, lov);
        striped(0, want.bytes, want.count < 0 ? 0 : want.count,
                want.count < 0 ? "Lustre's layout, over every server there is"
                : !want.bytes
                    ? "Lustre's layout, what is not told is the file system's default"
                    : "Lustre's layout");
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        err_clear();
        int rc = io_striping_parse(bad[i], &want);
        refused +=
            rc == -EINVAL && err_get()->usage && strstr(err_get()->text, "--stripe");
        if (rc != -EINVAL)
            tap_diag("%s: taken", bad[i]);
    }
    tap_ok(refused == sizeof bad / sizeof *bad, "others are refused");
    err_clear();
    tap_ok(!io_striping_check(&lustre) && io_striping_check(&ext4) == -EINVAL &&
               strstr(err_get()->text, "on ext4"),
           "only Lustre's files have stripes that are set: %s", err_get()->text);
    err_clear();
}

/* Without Lustre the attribute is refused, and no file is left. */
static void test_stripe_create(void)
{
    char path[TAP_PATH];
    const struct io_striping want = {4, 1 << 20};
    struct stat st;
    int fd;

    tap_path(path, "striped");
    int rc = io_stripe_create(path, &want, &fd);
    tap_ok(rc == -EOPNOTSUPP && fd < 0 && stat(path, &st) &&
               strstr(err_get()->text, "lustre.lov"),
           "a file whose stripes cannot be set is not left: %s", err_get()->text);
    err_clear();
    tap_ok(!scratch_create_bare(path, &fd) && fd >= 0 && !fstat(fd, &st) &&
               S_ISREG(st.st_mode) && !st.st_size && !(st.st_mode & 0133),
           "a bare file is one like any other");
    close(fd);
    tap_ok(scratch_create_bare(path, &fd) == -EEXIST,
           "what exists is not taken for one");
    err_clear();
    tap_ok(!scratch_remove(path) && stat(path, &st), "it is removed");
}

static void test_lustre(void)
{
    lov_bytes = 0;
    layout(0x0BD10BD0, 1, 1 << 20, 4, 4);
    striped(0, 1 << 20, 4, "Lustre's layout");
    lov_bytes = 0;
    layout(0x0BD30BD0, 1, 4 << 20, 2, 2);
    striped(0, 4 << 20, 2, "Lustre's layout");
    lov_bytes = 0;
    layout(0x0BD30BD0, 1, 1 << 20, 0xffff, 0);
    striped(0, 1 << 20, 0, "Lustre's layout, over every server there is");
    lov_bytes = 0;
    layout(0x0BD10BD0, 1, 0, 0, 0);
    striped(0, 0, 0, "Lustre's layout, what is not told is the file system's default");
    lov_bytes = 0;
    layout(0x0BD10BD0, 0x80000001, 1 << 20, 2, 0);
    striped(0, 1 << 20, 2, "Lustre's layout, released to an archive");
    lov_bytes = 0;
    layout(0x0BD10BD0, 0x100, 1 << 20, 0, 0);
    striped(0, 0, 0, "Lustre's layout, on the metadata server");
    lov_bytes = 0;
    le(0x0BD70BD0, 4); /* lov_foreign_md: length, type, flags, value */
    le(8, 4);
    le(1, 4);
    le(0, 4);
    le(0, 8);
    striped(0, 0, 0, "Lustre's layout, stored outside of Lustre");
    composite_head(3, 1);
    entry(1, 0, 0x10, 0, 1 << 20, COMPONENT, 32);
    entry(2, 0, 0x10, 1 << 20, 64 << 20, COMPONENT + 32, 56);
    entry(3, 0, 0, 64 << 20, UINT64_MAX, COMPONENT + 32 + 56, 48);
    layout(0x0BD10BD0, 0x100, 1 << 20, 0, 0);
    layout(0x0BD10BD0, 1, 1 << 20, 1, 1);
    layout(0x0BD30BD0, 1, 4 << 20, 8, 0);
    striped(32 << 20, 1 << 20, 1,
            "Lustre's layout, component 2 of 3, which differ: that from 1.0 MiB to "
            "64.0 MiB, which holds most of the file");
    striped(0, 4 << 20, 8,
            "Lustre's layout, component 3 of 3, which differ: that from 64.0 MiB to "
            "the end, which holds most of the file");
    striped(4096, 0, 0,
            "Lustre's layout, component 1 of 3, which differ: that from 0 B to 1.0 "
            "MiB, which holds most of the file, on the metadata server");
    composite_head(2, 2);
    entry(1, 1, 0x11, 0, UINT64_MAX, 32 + 96, 32); /* stale */
    entry(2, 2, 0x10, 0, UINT64_MAX, 32 + 96, 32);
    layout(0x0BD10BD0, 1, 1 << 20, 4, 0);
    striped(1 << 30, 1 << 20, 4, "Lustre's layout, 2 mirrors");
    struct io_stripes found;
    lov_bytes = 0;
    layout(0x0BD40BD0, 1, 1 << 20, 4, 0);
    tap_ok(lov_stripes(lov, lov_bytes, 0, &found) == -EINVAL,
           "another magic is refused");
    composite_head(2, 1);
    entry(1, 1, 0, 0, 5, 4000, 32);
    entry(2, 1, 0, 5, 9, 32, 4000000000u);
    tap_ok(lov_stripes(lov, lov_bytes, 0, &found) == -EINVAL,
           "a component outside of the attribute is refused");
}

/* ---- output of tools ------------------------------------------------------------- */

static void told(bool known, const struct io_stripes *found, int64_t size,
                 int64_t count, const char *about)
{
    tap_ok(known && found->bytes == size && found->count == count &&
               !strcmp(found->about, about),
           "%lld x %lld, %s", (long long)found->count, (long long)found->bytes,
           found->about);
}

static void test_texts(void)
{
    struct io_stripes f;
    told(stripes_of_lfs("/l/file\nlmm_stripe_count:  4\nlmm_stripe_size:   1048576\n"
                        "lmm_pattern:       raid0\nlmm_stripe_offset: 0\n",
                        &f),
         &f, 1 << 20, 4, "lfs getstripe");
    told(stripes_of_lfs("stripe_count:  -1 stripe_size:   4194304 pattern: raid0 "
                        "stripe_offset: -1\n",
                        &f),
         &f, 4 << 20, 0, "lfs getstripe, over every server there is");
    told(stripes_of_lfs("  lcme_id: 1\n lmm_stripe_count: 1\n lmm_stripe_size: 65536\n"
                        "  lcme_id: 2\n lmm_stripe_count: 8\n lmm_stripe_size: 1048576",
                        &f),
         &f, 1 << 20, 8, "lfs getstripe, the last one of its components");
    tap_ok(!stripes_of_lfs("error: getstripe failed\n", &f), "lfs that fails");
    told(stripes_of_beegfs("Entry type: file\nEntryID: 0-5D285750-1\n"
                           "Stripe pattern details:\n+ Type: RAID0\n+ Chunksize: 512K\n"
                           "+ Number of storage targets: desired: 4; actual: 2\n",
                           "x", &f),
         &f, 512 << 10, 2, "x: RAID0");
    told(stripes_of_beegfs("Entry type: directory\nStripe pattern details:\n"
                           "+ Type: Buddy Mirror\n+ Chunksize: 1M\n"
                           "+ Number of storage targets: desired: 4\n",
                           "x", &f),
         &f, 1 << 20, 4, "x: Buddy Mirror");
    told(stripes_of_gluster("(<DISTRIBUTE:v-dht> <POSIX(/b):h:/b/f>)", &f), &f, 0, 1,
         "GlusterFS: whole, on 1 brick");
    told(stripes_of_gluster("(<DISTRIBUTE:v-dht> (<REPLICATE:v-replicate-0> "
                            "<POSIX(/b):h:/b/f> <POSIX(/b):i:/b/f>))",
                            &f),
         &f, 0, 1, "GlusterFS: whole, on 2 bricks");
    told(stripes_of_gluster("(<STRIPE:v-stripe-0:[131072]> <POSIX(/b):h:/b/f> "
                            "<POSIX(/b):i:/b/f>)",
                            &f),
         &f, 131072, 2, "GlusterFS: 1 copy of each stripe");
    tap_ok(stripes_of_gluster("<REPLICATE:a> <REPLICATE:b> <POSIX(/b):h:/b/f>", &f),
           "fewer bricks than groups of them");
    tap_ok(!stripes_of_gluster("", &f), "GlusterFS that tells nothing");
}

static void put_tool(const char *name, const char *script)
{
    char path[64];
    snprintf(path, sizeof path, "bin/%s", name);
    put(path, script);
    chmod(at(path), 0700);
}

static void test_tools(void)
{
    struct io_fs lustre = {.type = "lustre"}, beegfs = {.type = "beegfs"};
    struct io_fs gpfs = {.type = "gpfs"}, gluster = {.type = "fuse.glusterfs"};
    struct io_fs ext4 = {.type = "ext4"};
    struct io_stripes f;
    char out[16];
    put("bin/x", "");
    setenv("PATH", at("bin"), 1);
    io_stripes_of(root, &lustre, &f);
    told(true, &f, 0, 0,
         "Lustre's attribute lustre.lov cannot be read, and lfs is not on PATH");
    put_tool("lfs", "#!/bin/sh\n[ \"$2\" = -d ] && [ -d \"$3\" ] || exit 1\n"
                    "echo 'stripe_count:  2 stripe_size:   65536'\n");
    io_stripes_of(root, &lustre, &f);
    told(true, &f, 65536, 2, "lfs getstripe");
    io_stripes_of(at("image"), &lustre, &f);
    told(true, &f, 0, 0,
         "Lustre's attribute lustre.lov cannot be read, and lfs does not tell");
    io_stripes_of(root, &beegfs, &f);
    told(true, &f, 0, 0, "neither beegfs nor beegfs-ctl tells");
    put_tool("beegfs-ctl", "#!/bin/sh\n[ \"$1\" = --getentryinfo ] || exit 1\n"
                           "echo '+ Type: RAID0'; echo '+ Chunksize: 512K'\n"
                           "echo '+ Number of storage targets: desired: 4'\n");
    io_stripes_of(root, &beegfs, &f);
    told(true, &f, 512 << 10, 4, "beegfs-ctl --getentryinfo: RAID0");
    put_tool("beegfs", "#!/bin/sh\n[ \"$1 $2 $3\" = 'entry info --retro' ] || exit 1\n"
                       "echo '+ Type: RAID0'; echo '+ Chunksize: 1M'\n"
                       "echo '+ Number of storage targets: desired: 8'\n");
    io_stripes_of(root, &beegfs, &f);
    told(true, &f, 1 << 20, 8, "beegfs entry info: RAID0");
    io_stripes_of(root, &gpfs, &f);
    told(true, &f, 0, 0, "statfs tells of no GPFS");
    io_stripes_of(at("image"), &gluster, &f);
    told(true, &f, 0, 0, "GlusterFS's attribute glusterfs.pathinfo cannot be read");
    io_stripes_of(root, &ext4, &f);
    told(true, &f, 0, 0, "ext4 tells of no stripes");
    put_tool("slow", "#!/bin/sh\necho started\nexec 1>&-\nread line </proc/self/fd/9\n"
                     "while :; do :; done\n");
    tap_ok(tool_ask((char *[]){"slow", NULL}, 0.3, out, sizeof out) == -ETIMEDOUT &&
               !strcmp(out, "started\n"),
           "a tool that does not end is ended: %s", out);
    put_tool("much", "#!/bin/sh\necho 0123456789012345678901234567890\nexit 3\n");
    tap_ok(tool_ask((char *[]){"much", NULL}, 5, out, sizeof out) == 3 &&
               !strcmp(out, "012345678901234"),
           "what is too much is left out, and the status told: %s", out);
}

int main(int argc, char **argv)
{
    char *path = getenv("PATH") ? strdup(getenv("PATH")) : NULL;
    tap_start(&argc, &argv, 0);
    tap_path(root, "tree");
    char *whole = mkdir(root, 0700) ? NULL : realpath(root, NULL);
    if (whole)
        snprintf(root, sizeof root, "%s", whole);
    tap_ok(whole != NULL, "a tree of its own");
    test_disks();
    test_made_of_others();
    test_loop();
    test_no_device();
    test_here();
    test_lustre();
    test_striping();
    test_stripe_create();
    test_texts();
    test_tools();
    if (path)
        setenv("PATH", path, 1);
    tool_ask((char *[]){"rm", "-r", root, NULL}, 60, text, sizeof text);
    free(whole);
    free(path);
    return tap_end();
}
