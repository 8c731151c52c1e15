# One file for all programs; bash-completion looks for the name of the program
# (COMPLETION_LINKS: programs.mk).
bashcompletiondir = $(datadir)/bash-completion/completions
dist_bashcompletion_DATA = completion/leadline.bash

install-data-hook: install-completion-links
install-completion-links: install-dist_bashcompletionDATA
	cd '$(DESTDIR)$(bashcompletiondir)' && for name in $(COMPLETION_LINKS); do \
	  rm -f $$name && $(LN_S) leadline.bash $$name || exit 1; done
uninstall-hook:
	-cd '$(DESTDIR)$(bashcompletiondir)' && rm -f $(COMPLETION_LINKS)
.PHONY: install-completion-links
