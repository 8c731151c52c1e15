// Finds the fewest lines to delete and insert to turn one text into the other, by the
// greedy algorithm of E. W. Myers, Algorithmica 1 (1986), page 251.
#include "ldadc/difference.h"
#include <algorithm>
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

// The number of old lines that are reached with so many changes, by the deleted lines
// minus the inserted ones, from -changes on in steps of 2.
using Reach = std::vector<long>;

struct Step {
    bool puts_in;
    long from; // old lines before it
};

Step step_to(const std::vector<Reach> &all, long changes, long diagonal)
{
    const Reach &last = all[changes - 1];
    // index of diagonal + 1 in the last round; the one of diagonal - 1 is before it
    long at = (diagonal + changes) / 2;
    if (at == 0 || (at < changes && last[at - 1] < last[at]))
        return {true, last[at]};
    return {false, last[at - 1]};
}

// Computes the reaches with 0, 1, 2 ... changes, until the end of both texts.
std::vector<Reach> reaches(const std::vector<std::string> &old,
                           const std::vector<std::string> &fresh)
{
    long olds = (long)old.size(), news = (long)fresh.size();
    std::vector<Reach> all;
    for (long changes = 0;; changes++) {
        Reach reach;
        for (long diagonal = -changes; diagonal <= changes; diagonal += 2) {
            long x = 0;
            if (changes) {
                Step s = step_to(all, changes, diagonal);
                x = s.from + !s.puts_in;
            }
            while (x < olds && x - diagonal < news && old[x] == fresh[x - diagonal])
                x++;
            reach.push_back(x);
        }
        all.push_back(reach);
        long end = olds - news + changes; // twice the index of the last diagonal
        if (end >= 0 && end % 2 == 0 && end <= 2 * changes && reach[end / 2] >= olds)
            return all;
    }
}

bool of_both(const Line &l)
{
    return l.mark == ' ';
}

bool of_old(const Line &l)
{
    return l.mark == '-';
}

// Marks the lines, from the end back. Of lines that change together, the old ones come
// first.
std::vector<Line> marked(const std::vector<std::string> &old,
                         const std::vector<std::string> &fresh)
{
    std::vector<Reach> all = reaches(old, fresh);
    long x = (long)old.size(), y = (long)fresh.size();
    std::vector<Line> out;
    for (long changes = (long)all.size() - 1; changes > 0; changes--) {
        Step s = step_to(all, changes, x - y);
        for (long same = s.from + !s.puts_in; x > same; y--)
            out.push_back({' ', old[--x]});
        out.push_back(s.puts_in ? Line{'+', fresh[--y]} : Line{'-', old[--x]});
    }
    while (x > 0)
        out.push_back({' ', old[--x]});
    std::reverse(out.begin(), out.end());
    for (auto at = out.begin(); at != out.end();) {
        auto end = std::find_if(at, out.end(), of_both);
        std::stable_partition(at, end, of_old);
        at = end == out.end() ? end : end + 1;
    }
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
