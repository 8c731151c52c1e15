# leadline: compares, sweeps, reports. Pure Python, installed beside the programs. Its
# launcher is made twice: one for the build tree, one that is installed.
# Its packages, lower ones first; installed in as many folders.
nobase_dist_pkgdata_DATA = $(addprefix python/leadline/, __init__.py __main__.py \
	container.py)
nobase_dist_pkgdata_DATA += $(addprefix python/leadline/base/, \
	__init__.py axes.py errors.py fields.py json_schema.py launcher.py lock.py \
	names.py options.py output.py stats.py steps.py table.py)
nobase_dist_pkgdata_DATA += $(addprefix python/leadline/results/, \
	__init__.py comparison.py conditions.py groups.py history.py report.py rhythm.py run.py schema.py \
	series.py traces.py)
nobase_dist_pkgdata_DATA += $(addprefix python/leadline/judge/, \
	__init__.py against.py climb.py compare.py differs.py effects.py \
	gate.py matrix.py notes.py ranking.py robust.py rounds.py rules.py \
	share.py summary.py tails.py trend.py)
nobase_dist_pkgdata_DATA += $(addprefix python/leadline/across/, \
	__init__.py meanings.py pairs.py sides.py)
nobase_dist_pkgdata_DATA += $(addprefix python/leadline/draw/, \
	__init__.py draw_file.py draw_svg.py html.py looks.py paint.py relief.py \
	shapes.py svg.py svg_cells.py svg_lines.py)
nobase_dist_pkgdata_DATA += $(addprefix python/leadline/sweep/, \
	__init__.py calibrate.py enough.py export.py factors.py io500.py \
	inside.py io500_report.py need.py slurm.py spec.py sweep.py sweep_state.py)
nobase_dist_pkgdata_DATA += $(addprefix python/leadline/skeleton/, \
	__init__.py descriptors.py polynomials.py skeleton.py skeleton_fit.py \
	whatif.py)
nobase_dist_pkgdata_DATA += $(addprefix python/leadline/trace/, \
	__init__.py iotrace_page.py iotrace_parquet.py iotrace_plot.py trace_page.py \
	trace_svg.py)
nobase_dist_pkgdata_DATA += $(addprefix python/leadline/importing/, \
	__init__.py command.py convert.py darshan.py darshan_log.py dlio.py elbencho.py \
	fio.py fio_terse.py folder.py formats.py h5bench.py io500.py io500_run.py ior.py \
	mdtest.py result.py)
nobase_dist_pkgdata_DATA += $(addprefix python/leadline/page/, \
	__init__.py beside.py finding.py first.py gallery.py page.py pictures.py pictures_matrix.py \
	pictures_own.py pictures_scaling.py pictures_tail.py pictures_time.py plot.py \
	verdicts.py)
nobase_dist_pkgdata_DATA += $(addprefix python/leadline/commands/, \
	__init__.py cli.py doctor.py)
noinst_SCRIPTS = python/leadline/leadline
bin_SCRIPTS += python/leadline/installed/leadline
EXTRA_DIST += python/leadline/leadline.in pyproject.toml python/wheel.py
CLEANFILES += python/leadline/leadline python/leadline/installed/leadline

# Without a Python at configure time, whatever python3 there is when it runs.
MAKE_LAUNCHER = $(AM_V_GEN)$(MKDIR_P) $(@D) && python='$(PYTHON)' && \
	if test "x$$python" = x:; then python='/usr/bin/env python3'; fi && \
	version=`$(srcdir)/build-aux/git-version $(srcdir) $(PACKAGE_VERSION)` && \
	sed -e "s|@PYTHON[@]|$$python|" -e "s|@VERSION[@]|$$version|" \
	  -e 's|@MPIEXEC[@]|$(MPIEXEC)|'

python/leadline/leadline: $(srcdir)/python/leadline/leadline.in src/base/version.stamp \
		Makefile
	$(MAKE_LAUNCHER) -e 's|@pythondir[@]|$(abs_top_srcdir)/python|' \
	  -e 's|@launcherdir[@]|$(abs_top_builddir)/python/leadline|' \
	  -e 's|@programdir[@]|$(abs_top_builddir)|' \
	  -e 's|@libexecdir[@]|$(abs_top_builddir)|' \
	  $(srcdir)/python/leadline/leadline.in > $@.tmp
	$(AM_V_at)chmod +x $@.tmp && mv $@.tmp $@
python/leadline/installed/leadline: python/leadline/leadline
	$(MAKE_LAUNCHER) -e 's|@pythondir[@]|$(pkgdatadir)/python|' \
	  -e 's|@launcherdir[@]|$(bindir)|' -e 's|@programdir[@]|$(bindir)|' \
	  -e 's|@libexecdir[@]|$(pkglibexecdir)|' \
	  $(srcdir)/python/leadline/leadline.in > $@.tmp
	$(AM_V_at)chmod +x $@.tmp && mv $@.tmp $@
