# leadline: compares, sweeps, reports. Pure Python, installed beside the programs. Its
# launcher is made twice: one for the build tree, one that is installed.
leadlinedir = $(pkgdatadir)/python/leadline
dist_leadline_DATA = \
	python/leadline/__init__.py \
	python/leadline/__main__.py \
	python/leadline/against.py \
	python/leadline/axes.py \
	python/leadline/baseline.py \
	python/leadline/calibrate.py \
	python/leadline/cli.py \
	python/leadline/climb.py \
	python/leadline/compare.py \
	python/leadline/conditions.py \
	python/leadline/container.py \
	python/leadline/differs.py \
	python/leadline/draw_file.py \
	python/leadline/draw_svg.py \
	python/leadline/effects.py \
	python/leadline/elements.py \
	python/leadline/enough.py \
	python/leadline/errors.py \
	python/leadline/export.py \
	python/leadline/factors.py \
	python/leadline/fields.py \
	python/leadline/gallery.py \
	python/leadline/gate.py \
	python/leadline/groups.py \
	python/leadline/history.py \
	python/leadline/io500.py \
	python/leadline/io500_report.py \
	python/leadline/iotrace_page.py \
	python/leadline/iotrace_parquet.py \
	python/leadline/iotrace_plot.py \
	python/leadline/json_schema.py \
	python/leadline/launcher.py \
	python/leadline/lock.py \
	python/leadline/looks.py \
	python/leadline/matrix.py \
	python/leadline/names.py \
	python/leadline/need.py \
	python/leadline/notes.py \
	python/leadline/one_figure.py \
	python/leadline/options.py \
	python/leadline/output.py \
	python/leadline/page.py \
	python/leadline/page_style.py \
	python/leadline/page_summary.py \
	python/leadline/paint.py \
	python/leadline/pictures.py \
	python/leadline/pictures_calibrate.py \
	python/leadline/pictures_matrix.py \
	python/leadline/pictures_own.py \
	python/leadline/pictures_tail.py \
	python/leadline/pictures_text.py \
	python/leadline/pictures_trend.py \
	python/leadline/plot.py \
	python/leadline/polynomials.py \
	python/leadline/ranking.py \
	python/leadline/relief.py \
	python/leadline/report.py \
	python/leadline/robust.py \
	python/leadline/rounds.py \
	python/leadline/rules.py \
	python/leadline/run.py \
	python/leadline/scaling.py \
	python/leadline/schema.py \
	python/leadline/series.py \
	python/leadline/shapes.py \
	python/leadline/share.py \
	python/leadline/skeleton.py \
	python/leadline/skeleton_fit.py \
	python/leadline/slurm.py \
	python/leadline/spec.py \
	python/leadline/stats.py \
	python/leadline/summary.py \
	python/leadline/svg.py \
	python/leadline/svg_cells.py \
	python/leadline/svg_heat.py \
	python/leadline/svg_lines.py \
	python/leadline/svg_parts.py \
	python/leadline/svg_relief.py \
	python/leadline/svg_rows.py \
	python/leadline/svg_time.py \
	python/leadline/sweep.py \
	python/leadline/sweep_state.py \
	python/leadline/table.py \
	python/leadline/tails.py \
	python/leadline/trace_page.py \
	python/leadline/trace_svg.py \
	python/leadline/traces.py \
	python/leadline/trend.py \
	python/leadline/verdicts.py \
	python/leadline/whatif.py
leadlineimportingdir = $(leadlinedir)/importing
dist_leadlineimporting_DATA = $(addprefix python/leadline/importing/, __init__.py \
	command.py darshan.py darshan_log.py dlio.py elbencho.py fio.py formats.py \
	h5bench.py io500.py ior.py mdtest.py result.py)
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
	  $(srcdir)/python/leadline/leadline.in > $@.tmp
	$(AM_V_at)chmod +x $@.tmp && mv $@.tmp $@
python/leadline/installed/leadline: python/leadline/leadline
	$(MAKE_LAUNCHER) -e 's|@pythondir[@]|$(pkgdatadir)/python|' \
	  -e 's|@launcherdir[@]|$(bindir)|' -e 's|@programdir[@]|$(bindir)|' \
	  $(srcdir)/python/leadline/leadline.in > $@.tmp
	$(AM_V_at)chmod +x $@.tmp && mv $@.tmp $@
