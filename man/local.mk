# Pages of programs (programs.mk) are made when these are built, as their options are the
# program's own; pages of what is not built are not installed. The others are by hand.
dist_man_MANS += \
	man/iotrace-bin.5 \
	man/iotrace-tsv.5 \
	man/ldad-fft.1 \
	man/ldad-jacobi.1 \
	man/ldad-mandelbrot.1 \
	man/ldad.3 \
	man/libiotrace.3 \
	man/libldad.3
man_MANS += $(MADE_MANS)
CLEANFILES += $(MADE_MANS)
EXTRA_DIST += build-aux/manual

$(MADE_MANS): build-aux/manual programs.def
	$(AM_V_GEN)$(MKDIR_P) man && NO_RUN=$(cross_compiling) \
	  $(srcdir)/build-aux/manual $(srcdir)/$@.in >$@.part && mv $@.part $@

# Its options are those of the commands. Without Python there are no commands.
EXTRA_DIST += man/leadline.1.in build-aux/leadline-page
CLEANFILES += man/leadline.1
man/leadline.1: man/leadline.1.in build-aux/leadline-page $(nobase_dist_pkgdata_DATA)
	$(AM_V_GEN)$(MKDIR_P) $(@D)
	$(AM_V_at)in=$(srcdir)/man/leadline.1.in; if test 'x$(PYTHON)' = x:; \
	  then sed '/^@/d' $$in; else '$(PYTHON)' $(srcdir)/build-aux/leadline-page $$in; \
	  fi > $@.tmp && mv $@.tmp $@
