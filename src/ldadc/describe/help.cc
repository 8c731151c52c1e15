// Advice for an unresolved call, by words of the reason.
#include "ldadc/describe/describe.h"

namespace ldadc
{

static const struct {
    const char *words, *help;
} ways[] = {
    {NOT_CERTAIN, "--assume=no-overlap, if they share none, or what holds of its "
                  "variables, such as --assume='n % nprocs == 0' or --assume='a <= b'"},
    {"as the function is called", "give the sources that call it, too"},
    {"how the function is called", "give the sources that call it, too"},
    {"displacement is not known: the view of",
     "give the sources that call it, too; or --assume=no-view, if it has none"},
    {"is a caller's", "give the sources that call it, too"},
    {"is not called where", "give the sources that call it, too"},
    {"may be changed by", "give the source of that function, too, or -p DIR"},
    {"the result of", "give the source of that function, too, or -p DIR"},
    {"wrap around", "--assume='a >= b', if the value is not negative"},
    {"may be negative", "--assume='a >= b', if the value is not negative"},
    {"too many paths", "fewer modes of the program: compile some out by FLAGS (-D)"},
    {"depends on a condition",
     "what holds of its variables, such as --assume='a <= b', if that decides the "
     "condition; else only a run tells: ldadc plan --trace=RUN"},
    {"may use the file, too", "a run: ldadc plan --trace=RUN"},
};

// True if the reason is a function of MPI, whose source would not help.
static bool changed_by_mpi(const std::string &reason)
{
    for (const char *words : {"may be changed by MPI_", "the result of MPI_"})
        if (reason.find(words) != std::string::npos)
            return true;
    return false;
}

std::string help_of(const Description &d)
{
    std::string run = "only a run tells: ldadc plan --trace=RUN";
    for (auto &way : ways)
        if (d.reason.find(way.words) != std::string::npos && !changed_by_mpi(d.reason))
            return way.help;
    for (const std::vector<Ingredient> *some :
         {&d.site->variables, &d.site->other_variables})
        for (const Ingredient &one : *some)
            if (one.value_class == "not resolvable" &&
                one.origin.find("not in these sources") != std::string::npos)
                return "give the source of that function, too, or -p DIR";
    return d.resolved ? run + ", or --assume=no-overlap" : run;
}

} // namespace ldadc
