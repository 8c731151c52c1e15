// Words for a shell to read.
#ifndef LDADC_DESCRIBE_SHELL_H
#define LDADC_DESCRIBE_SHELL_H

#include <string>

namespace ldadc
{

// In quotes where the shell would read it otherwise.
std::string shell_word(const std::string &text);

// The option that gives a variable of this name a value, as something to fill in.
std::string set_option(const std::string &name);

} // namespace ldadc

#endif
