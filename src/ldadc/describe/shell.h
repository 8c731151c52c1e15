// Words for a shell to read.
#ifndef LDADC_DESCRIBE_SHELL_H
#define LDADC_DESCRIBE_SHELL_H

#include <string>

namespace ldadc
{

// Quotes a text if the shell would change it.
std::string shell_word(const std::string &text);

// Returns the option that gives a variable of this name a value, as a form to fill in.
std::string set_option(const std::string &name);

} // namespace ldadc

#endif
