# leadline: compare and sweep. Pure Python, installed beside the programs. Its
# launcher is made twice: one for the build tree, one that is installed.
leadlinedir = $(pkgdatadir)/python/leadline
dist_leadline_DATA = \
	python/leadline/__init__.py \
	python/leadline/__main__.py \
	python/leadline/against.py \
	python/leadline/cli.py \
	python/leadline/compare.py \
	python/leadline/errors.py \
	python/leadline/groups.py \
	python/leadline/iotrace_plot.py \
	python/leadline/notes.py \
	python/leadline/report.py \
	python/leadline/run.py \
	python/leadline/slurm.py \
	python/leadline/spec.py \
	python/leadline/stats.py \
	python/leadline/sweep.py \
	python/leadline/table.py
noinst_SCRIPTS = python/leadline/leadline
bin_SCRIPTS += python/leadline/installed/leadline
EXTRA_DIST += python/leadline/leadline.in
CLEANFILES += python/leadline/leadline python/leadline/installed/leadline

# Without a Python at configure time, whatever python3 there is when it runs.
MAKE_LAUNCHER = $(AM_V_GEN)$(MKDIR_P) $(@D) && python='$(PYTHON)' && \
	if test "x$$python" = x:; then python='/usr/bin/env python3'; fi && \
	version=`$(srcdir)/build-aux/git-version $(srcdir) $(PACKAGE_VERSION)` && \
	sed -e "s|@PYTHON[@]|$$python|" -e "s|@VERSION[@]|$$version|" \
	  -e 's|@MPIEXEC[@]|$(MPIEXEC)|'

python/leadline/leadline: $(srcdir)/python/leadline/leadline.in src/base/version.stamp
	$(MAKE_LAUNCHER) -e 's|@pythondir[@]|$(abs_top_srcdir)/python|' \
	  -e 's|@programdir[@]|$(abs_top_builddir)|' \
	  $(srcdir)/python/leadline/leadline.in > $@.tmp
	$(AM_V_at)chmod +x $@.tmp && mv $@.tmp $@
python/leadline/installed/leadline: python/leadline/leadline
	$(MAKE_LAUNCHER) -e 's|@pythondir[@]|$(pkgdatadir)/python|' \
	  -e 's|@programdir[@]|$(bindir)|' \
	  $(srcdir)/python/leadline/leadline.in > $@.tmp
	$(AM_V_at)chmod +x $@.tmp && mv $@.tmp $@
