#!/usr/bin/env python3
"""Makes gsf-made.tar.gz: GSF files written by the reference library, with every type of
record and every sensor; and made.json, the contents found by the library's own reader.

    python3 -m venv V; V/bin/pip install gsfpy==2.0.0; V/bin/python make-gsf.py

gsfpy (MIT) brings two versions of the library (LGPL), 3.08 and 3.09. Tests need
neither: they read what this script has made. The same gsfpy makes the same bytes.
"""
import ctypes
import gzip
import importlib
import io
import json
import math
import os
import sys
import tarfile
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
VERSIONS = ("3_08", "3_09")
PING, SINGLE = 2, 10
SENSOR_IDS = range(102, 256)
# Arrays of a ping by the number of their subrecord: the field's name, the value of a
# step, and the largest value that is stored.
ARRAYS = {1: ("depth", 0.01, 300), 2: ("across_track", 0.01, 150),
          3: ("along_track", 0.01, 20), 4: ("travel_time", 1e-5, 0.5),
          5: ("beam_angle", 0.01, 60), 6: ("mc_amplitude", 1, 60),
          7: ("mr_amplitude", 1, 60), 8: ("echo_width", 1e-4, 0.01),
          9: ("quality_factor", 1, 60), 10: ("receive_heave", 0.01, 1),
          11: ("depth_error", 0.01, 1), 12: ("across_track_error", 0.01, 1),
          13: ("along_track_error", 0.01, 1), 14: ("nominal_depth", 0.01, 300),
          15: ("quality_flags", 0, 3), 16: ("beam_flags", 0, 0),
          17: ("signal_to_noise", 1, 60), 18: ("beam_angle_forward", 0.01, 90),
          19: ("vertical_error", 0.01, 1), 20: ("horizontal_error", 0.01, 1),
          22: ("sector_number", 1, 3), 23: ("detection_info", 1, 3),
          24: ("incident_beam_adj", 0.1, 5), 25: ("system_cleaning", 1, 3),
          26: ("doppler_corr", 0.01, 1), 27: ("sonar_vert_uncert", 0.01, 1),
          28: ("sonar_horz_uncert", 0.01, 1), 29: ("detection_window", 0.001, 0.05),
          30: ("mean_abs_coeff", 0.1, 5)}
USUAL = (1, 2, 3, 16)
FLAGS = (0, 0, 0, 0x01, 0, 0x05, 0x09, 0x42)


class Library:
    """One version of the library."""

    def __init__(self, version):
        package = "gsfpy" + version
        self.c = importlib.import_module(package + ".bindings")
        self.raw = getattr(self.c, "_libgsf")
        for name in ("gsfRecords", "gsfDataID", "gsfBRBIntensity", "timespec"):
            setattr(self, name, importlib.import_module(package + "." + name))

    def records(self):
        return self.gsfRecords.c_gsfRecords()

    def said(self):
        return self.c.gsfStringError().decode()


class File:
    """An open file; all arguments are kept alive until it is closed."""

    def __init__(self, library, path, mode):
        self.library, self.handle, self.kept = library, ctypes.c_int(), []
        if library.c.gsfOpen(path.encode(), mode, ctypes.byref(self.handle)):
            raise OSError("%s: %s" % (path, library.said()))

    def write(self, kind, records, checksum=False):
        """Returns True if the library accepted it."""
        ident = self.library.gsfDataID.c_gsfDataID(int(checksum), 0, kind, 0)
        self.kept.append(records)
        return self.library.c.gsfWrite(self.handle, ctypes.byref(ident),
                                       ctypes.byref(records)) > 0

    def read(self):
        """Returns the next record's (type, records), or None at the end."""
        ident, records = self.library.gsfDataID.c_gsfDataID(), self.library.records()
        n = self.library.c.gsfRead(self.handle, 0, ctypes.byref(ident),
                                   ctypes.byref(records))
        if n < 0 and self.library.c.gsfIntError() == -23:
            return None
        if n < 0:
            raise OSError(self.library.said())
        return ident.recordID & 0xfff, records

    def close(self):
        self.library.c.gsfClose(self.handle)


# ---- contents of records ----------------------------------------------------------

def text(value):
    return ctypes.cast(ctypes.create_string_buffer(value.encode()),
                       ctypes.POINTER(ctypes.c_char))


def reals(values):
    return (ctypes.c_double * len(values))(*values)


def fill(union):
    """Puts a small number into each word of a sensor's own fields, whatever they are:
    some of them are counts of other fields."""
    words = ctypes.sizeof(union) // 4
    ctypes.memmove(ctypes.byref(union), (ctypes.c_int * words)(*[2] * words), 4 * words)


def time(spec, number):
    spec.tv_sec, spec.tv_nsec = 1400000000 + number, 250000000


def value_of(number, beam, beams, array):
    """Returns a value of a beam in the ping of that number: a whole number of steps."""
    name, step, most = ARRAYS[array]
    if name == "beam_flags":
        return FLAGS[(number + beam) % len(FLAGS)]
    if name in ("across_track", "beam_angle"):
        return round((beam - beams // 2) * most / max(beams, 1) / step) * step
    if name in ("depth", "nominal_depth"):
        return 0 if (number + beam) % 11 == 10 else \
            round((20 + (number * 31 + beam * 7) % 200 * 0.37) / step) * step
    share = (number * 3 + beam) % 10 / 10
    return int(most * share) if step >= 1 or not step else \
        round(most * share / step) * step


def place(ping, latitude=None, longitude=None):
    """Returns (latitude, longitude) of a ping, and sets them first if they are given.
    gsfpy has exchanged their names, as real files show."""
    if latitude is not None:
        ping.longitude, ping.latitude = latitude, longitude
    return ping.longitude, ping.latitude


def make_ping(file, number, beams, arrays=USUAL, sensor=0, wide=0, bits=0, ignore=False,
              placed=True, offset=0, samples=9):
    """`wide`: bytes of each value, 0: the usual ones; `bits`: bits of intensities."""
    library = file.library
    records = library.records()
    ping = records.mb_ping
    time(ping.ping_time, number)
    place(ping, 36.25 + number * 2e-5 if placed else 91,
          -75.5 + number * 1e-5 if placed else 181)
    ping.number_beams, ping.center_beam = beams, beams // 2
    ping.ping_flags = 0x0001 if ignore else 0
    ping.heading, ping.course, ping.speed = 45, 46, 5
    ping.height = ping.sep = 1.5
    for array in arrays:
        name, step, _ = ARRAYS[array]
        kind = getattr(getattr(ping, name), "_type_", ctypes.c_double)
        values = [value_of(number, beam, beams, array) for beam in range(beams)]
        column = (kind * max(beams, 1))(*[kind(v).value for v in values])
        file.kept.append(column)
        setattr(ping, name, ctypes.cast(column, ctypes.POINTER(kind)))
        if step:
            library.c.gsfLoadScaleFactor(ctypes.byref(ping.scaleFactors), array,
                                         bytes([wide << 4]), step, offset)
    if sensor:
        ping.sensor_id = sensor
        fill(ping.sensor_data)
    if bits:
        ping.brb_inten = ctypes.pointer(make_intensities(file, beams, bits, samples))
    return records


def make_intensities(file, beams, bits, samples):
    kinds = file.library.gsfBRBIntensity
    series = kinds.c_gsfBRBIntensity(bits_per_sample=bits)
    fill(series.sensor_imagery)
    rows = (kinds.c_gsfTimeSeriesIntensity * beams)()
    for beam, row in enumerate(rows):
        row.sample_count = samples + beam % 3
        values = (ctypes.c_uint * row.sample_count)(
            *[(beam * 17 + i) % (1 << min(bits, 20)) for i in range(row.sample_count)])
        file.kept.append(values)
        row.samples = ctypes.cast(values, ctypes.POINTER(ctypes.c_uint))
    file.kept += [rows, series]
    kind = ctypes.POINTER(kinds.c_gsfTimeSeriesIntensity)
    series.time_series = ctypes.cast(rows, kind)
    return series


def other_records(file):
    """Returns one record of each type that is no ping: (type, records)."""
    records = file.library.records()
    time(records.comment.comment_time, 1)
    records.comment.comment_length = 12
    records.comment.comment = text("said by hand")
    yield 6, records
    records = file.library.records()
    time(records.history.history_time, 1)
    records.history.host_name, records.history.operator_name = b"ship", b"surveyor"
    records.history.command_line, records.history.comment = text("gsf"), text("made")
    yield 7, records
    records = file.library.records()
    time(records.svp.observation_time, 1)
    time(records.svp.application_time, 2)
    records.svp.latitude, records.svp.longitude, records.svp.number_points = 36, -75, 3
    for name, values in (("depth", (0, 10, 20)), ("sound_speed", (1500, 1501, 1502))):
        column = reals(values)
        file.kept.append(column)
        setattr(records.svp, name, ctypes.cast(column, ctypes.POINTER(ctypes.c_double)))
    yield 3, records
    for kind, name in ((4, "process_parameters"), (5, "sensor_parameters")):
        records = file.library.records()
        own = getattr(records, name)
        time(own.param_time, 1)
        own.number_parameters = 2
        for i, word in enumerate(("REFERENCE TIME=1970/001 00:00:00", "NAME=VALUE")):
            own.param_size[i], own.param[i] = len(word) + 1, text(word)
        yield kind, records
    yield from times_and_places(file)


def times_and_places(file):
    records = file.library.records()
    time(records.nav_error.nav_error_time, 1)
    records.nav_error.record_id, records.nav_error.latitude_error = 2, 1.5
    yield 8, records
    records = file.library.records()
    time(records.summary.start_time, 1)
    time(records.summary.end_time, 9)
    records.summary.max_depth = 300
    yield 9, records
    records = file.library.records()
    time(records.hv_nav_error.nav_error_time, 1)
    records.hv_nav_error.record_id = 2
    records.hv_nav_error.position_type = text("GPS")
    yield 11, records
    records = file.library.records()
    own, n = records.attitude, 5
    kinds = file.library.timespec
    times = (kinds.c_timespec * n)()
    for i, each in enumerate(times):
        time(each, i)
    file.kept.append(times)
    own.num_measurements = n
    own.attitude_time = ctypes.cast(times, ctypes.POINTER(kinds.c_timespec))
    for name in ("pitch", "roll", "heave", "heading"):
        column = reals([0.25 * i for i in range(n)])
        file.kept.append(column)
        setattr(own, name, ctypes.cast(column, ctypes.POINTER(ctypes.c_double)))
    yield 12, records


def single_beam(file, sensor):
    """Writes single-beam pings. One has no depth, one no position; gsfpy's names that
    are wrong in swaths are right here."""
    records = file.library.records()
    ping = records.sb_ping
    time(ping.ping_time, sensor)
    ping.latitude = 91 if sensor == 203 else 36.25 + (sensor - 200) * 2e-5
    ping.longitude = 181 if sensor == 203 else -75.5 + (sensor - 200) * 1e-5
    ping.depth, ping.heading = (0 if sensor == 202 else 25.37 + sensor - 200), 45
    ping.tide_corrector, ping.depth_corrector, ping.heave = 0.5, 1.25, -0.5
    ping.sensor_id = sensor
    fill(ping.sensor_data)
    return SINGLE, records


# ---- the files --------------------------------------------------------------------

def pings_with(**what):
    """Returns a function that writes pings of several sizes, so that arrays end at all
    alignments."""
    def write(file):
        for number in range(1, 9):
            if not file.write(PING, make_ping(file, number, 3 + number, **what)):
                raise Refused(file.library.said())
    return write


def records_of_all_types(file):
    for checksum in (False, True):
        for kind, records in other_records(file):
            if not file.write(kind, records, checksum):
                raise OSError(file.library.said())
        file.write(PING, make_ping(file, 1 + checksum, 7), checksum)
    for sensor in range(201, 206):
        kind, records = single_beam(file, sensor)
        if not file.write(kind, records):
            raise OSError(file.library.said())


def odd_pings(file):
    """Writes pings without position, ignored, of one beam, of 4,000, and with few
    arrays. The library refuses one without beams, and cannot read one without
    arrays."""
    for number, what in enumerate((
            {"beams": 5, "placed": False}, {"beams": 5, "ignore": True}, {"beams": 1},
            {"beams": 4000}, {"beams": 5, "arrays": (14, 2)},
            {"beams": 5, "arrays": (1,)}), 1):
        if not file.write(PING, make_ping(file, number, **what)):
            raise OSError(file.library.said())


class Refused(Exception):
    """The library does not write this."""


def all_files(library):
    """Returns {name: function that writes it}; the library refuses some of them."""
    fields = library.records().mb_ping
    arrays = [array for array, (name, _, _) in ARRAYS.items() if hasattr(fields, name)]
    files = {"records": records_of_all_types, "odd": odd_pings,
             "arrays": pings_with(arrays=arrays),
             "offset": pings_with(offset=5)}
    for wide in (1, 2, 4):
        files["wide-%d" % wide] = pings_with(wide=wide, arrays=(1, 2, 3, 14, 16))
    for sensor in SENSOR_IDS:
        files["sensor-%d" % sensor] = pings_with(sensor=sensor)
        for bits in (8, 12, 16, 32):
            files["intensity-%d-%d" % (sensor, bits)] = pings_with(sensor=sensor,
                                                                   bits=bits)
    return files


# ---- results of the library's reader ----------------------------------------------

def take_in(ping, found):
    """Counts a swath, as tests/data/gsf/truth.json does."""
    arrays = [array for array, (name, _, _) in ARRAYS.items()
              if getattr(ping, name, None)]
    if ping.brb_inten:
        arrays.append(21)
    if ping.sensor_id:
        arrays.append(ping.sensor_id)
    found["subs"] = sorted(set(found["subs"]) | set(arrays))
    count(found, place(ping), ping.number_beams, ping.ping_flags,
          ping.depth if ping.depth else ping.nominal_depth, ping.beam_flags)


def count(found, position, n, ping_flags, depths, flags):
    """Counts a ping of either kind."""
    north, east = position
    ignored = bool(ping_flags & 1)
    found["pings"] += 1
    found["beams"] += n
    found["nb"].append(n)
    found["ignored_pings"] += ignored
    for beam in range(0 if ignored else n):
        depth = depths[beam] if depths else 0
        flag = flags[beam] if flags else 0
        kind = "null_depth" if not depth else "flagged" if flag & 1 else "valid"
        found[kind] += 1
        found["soundings"] += bool(depth and flag != 1 and abs(north) <= 90)
        if kind == "valid":
            found["depths"].append(depth)
    if not ignored and abs(north) <= 90:
        found["places"].append((east, north))


def read_back(library, path):
    found = {"pings": 0, "records": {"1": 1}, "beams": 0, "ignored_pings": 0,
             "null_depth": 0, "flagged": 0, "valid": 0, "nb": [], "subs": [],
             "soundings": 0,  # as a loader counts
             "depths": [], "places": [], "bytes": os.path.getsize(path)}
    file = File(library, path, 2)
    while True:
        record = file.read()
        if not record:
            break
        found["records"][str(record[0])] = found["records"].get(str(record[0]), 0) + 1
        if record[0] == PING:
            take_in(record[1].mb_ping, found)
        if record[0] == SINGLE:
            ping = record[1].sb_ping
            count(found, (ping.latitude, ping.longitude), 1, 0, [ping.depth], None)
    file.close()
    depths, places = found.pop("depths"), found.pop("places")
    east, north = zip(*places) if places else ((), ())
    found.update(sum=math.fsum(depths), nb=sorted(set(found["nb"])))
    for name, values in (("dmin", depths), ("lonmin", east), ("latmin", north)):
        found[name] = min(values, default=None)
        found[name[:-3] + "max"] = max(values, default=None)
    return found


# ---- the archive ------------------------------------------------------------------

def make(version, name, write, folder):
    """Writes a file in a process of its own, as the library keeps state, and may crash.
    Returns what its reader found; None: nothing could be written."""
    library = Library(version)
    path = os.path.join(folder, "gsf%s-%s.gsf" % (version, name))
    result = path + ".json"
    child = os.fork()
    if not child:
        status = 1
        try:
            file = File(library, path, 1)
            write(file)
            file.close()
            found = read_back(library, path)
            found["version"] = "GSF-v0" + version.replace("_", ".")
            with open(result, "w") as out:
                json.dump(found, out)
            status = 0
        except Refused:
            status = 2
        except OSError as failure:
            print(failure)
        finally:
            sys.stdout.flush()
            os._exit(status)
    status = os.waitpid(child, 0)[1]
    if status and os.path.exists(path):
        os.unlink(path)
    if status not in (0, 2 << 8):
        print("%s of %s: the library failed (%d)" % (name, version, status))
    if status:
        return None
    with open(result) as f:
        return json.load(f)


def main():
    files = {}
    with tempfile.TemporaryDirectory() as folder:
        for version in VERSIONS:
            for name, write in all_files(Library(version)).items():
                found = make(version, name, write, folder)
                if found:
                    files["gsf%s-%s.gsf" % (version, name)] = found
        packed = io.BytesIO()
        with tarfile.open(fileobj=packed, mode="w", format=tarfile.USTAR_FORMAT) as tar:
            for name in sorted(files):
                with open(os.path.join(folder, name), "rb") as f:
                    add(tar, name, f.read())
            add(tar, "made.json", json.dumps({"files": files}, indent=1,
                                             sort_keys=True).encode())
    with open(os.path.join(HERE, "gsf-made.tar.gz"), "wb") as out:
        out.write(gzip.compress(packed.getvalue(), 9, mtime=0))
    print("%d files" % len(files))


def add(tar, name, data):
    entry = tarfile.TarInfo(name)
    entry.size = len(data)
    tar.addfile(entry, io.BytesIO(data))


if __name__ == "__main__":
    main()
