// The lines of a source that are written anew. A new line is changed from the one in
// its place, or stands between two; none is ever taken away.
#include "ldadc/difference.h"
#include <vector>

namespace ldadc
{

namespace
{

enum { AROUND = 3 };

struct Line {
    char mark; // ' ', '-' or '+'
    std::string text;
};

std::vector<std::string> lines_of(const std::string &text)
{
    std::vector<std::string> out;
    for (size_t at = 0; at < text.size();) {
        size_t end = std::min(text.find('\n', at), text.size() - 1) + 1;
        out.push_back(text.substr(at, end - at));
        at = end;
    }
    return out;
}

std::vector<Line> marked(const std::vector<std::string> &old,
                         const std::vector<std::string> &fresh)
{
    std::vector<Line> out, added;
    auto flush = [&] {
        out.insert(out.end(), added.begin(), added.end());
        added.clear();
    };
    size_t i = 0, j = 0;
    while (i < old.size() || j < fresh.size()) {
        bool both = i < old.size() && j < fresh.size();
        if (both && old[i] == fresh[j]) {
            flush();
            out.push_back({' ', old[i++]});
            j++;
        } else if (i == old.size() ||
                   (j + 1 < fresh.size() && old[i] == fresh[j + 1])) {
            added.push_back({'+', fresh[j++]});
        } else {
            out.push_back({'-', old[i++]});
            if (j < fresh.size())
                added.push_back({'+', fresh[j++]});
        }
    }
    flush();
    return out;
}

bool near_a_change(const std::vector<Line> &all, size_t at)
{
    size_t from = at < AROUND ? 0 : at - AROUND;
    for (size_t i = from; i < all.size() && i <= at + AROUND; i++)
        if (all[i].mark != ' ')
            return true;
    return false;
}

} // namespace

void put_difference(const std::string &path, const std::string &old,
                    const std::string &fresh, FILE *out)
{
    std::vector<Line> all = marked(lines_of(old), lines_of(fresh));
    size_t before = 1, after = 1; // numbers of the next lines
    fprintf(out, "--- %s\n+++ %s, rewritten\n", path.c_str(), path.c_str());
    for (size_t i = 0; i < all.size();) {
        size_t end = i, olds = 0, news = 0;
        while (end < all.size() && near_a_change(all, end)) {
            olds += all[end].mark != '+';
            news += all[end++].mark != '-';
        }
        if (end == i) {
            before++, after++, i++;
            continue;
        }
        fprintf(out, "@@ -%zu,%zu +%zu,%zu @@\n", before, olds, after, news);
        for (; i < end; i++)
            fprintf(out, "%c%s%s", all[i].mark, all[i].text.c_str(),
                    all[i].text.back() == '\n' ? ""
                                               : "\n\\ No newline at end of file\n");
        before += olds;
        after += news;
    }
}

} // namespace ldadc
