# One file for all programs; bash-completion looks for the name of the program.
bashcompletiondir = $(datadir)/bash-completion/completions
dist_bashcompletion_DATA = completion/leadline.bash
COMPLETION_LINKS = blocktransfer gsfgen gsfinfo iotrace ldad ldadc madbench pfminfo pfmload

install-data-hook: install-completion-links
install-completion-links: install-dist_bashcompletionDATA
	cd '$(DESTDIR)$(bashcompletiondir)' && for name in $(COMPLETION_LINKS); do \
	  rm -f $$name && $(LN_S) leadline.bash $$name || exit 1; done
uninstall-hook:
	-cd '$(DESTDIR)$(bashcompletiondir)' && rm -f $(COMPLETION_LINKS)
.PHONY: install-completion-links
