#include "ldadc/describe/shell.h"

namespace ldadc
{

std::string shell_word(const std::string &text)
{
    const char *plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                        "0123456789_-+=.,:/@%";
    if (!text.empty() && text.find_first_not_of(plain) == std::string::npos)
        return text;
    std::string out = "'";
    for (char c : text)
        if (c == '\'')
            out += "'\\''";
        else
            out += c;
    return out + "'";
}

std::string set_option(const std::string &name)
{
    return "--set " + shell_word(name + "=N");
}

} // namespace ldadc
