#include "ldadc/report/flow.h"
#include <algorithm>
#include <deque>

namespace ldadc
{

Ways::Ways(const Flow &flow, const std::set<int> &sites)
    : ours({FlowNode::START, FlowNode::END, FlowNode::CALLERS})
{
    for (size_t n = 0; n < flow.nodes.size(); n++)
        if (flow.nodes[n].kind == FlowNode::CALL && sites.count(flow.nodes[n].site)) {
            nodes[flow.nodes[n].site] = n;
            ours.insert(n);
        }
    for (int n : ours)
        find(flow, n);
}

// Follows the flow from a node through nodes that are left out.
void Ways::find(const Flow &flow, int node)
{
    std::set<int> seen;
    std::deque<Way> open;
    auto go_on = [&](const Way &at) {
        for (auto way = flow.ways.lower_bound({at.to, 0});
             way != flow.ways.end() && way->first.first == at.to; ++way) {
            int to = way->first.second;
            if (way->second)
                open.push_back({to, to});
            else
                open.push_front({to, at.back});
        }
    };
    go_on({node, -1});
    while (!open.empty()) {
        Way at = open.front();
        open.pop_front();
        if (!seen.insert(at.to).second)
            continue;
        if (ours.count(at.to))
            ways[node].push_back(at);
        else
            go_on(at);
    }
}

const std::vector<Way> &Ways::from(int node) const
{
    static const std::vector<Way> none;
    auto at = ways.find(node);
    return at == ways.end() ? none : at->second;
}

int Ways::node_of(int site) const
{
    auto at = nodes.find(site);
    return at == nodes.end() ? -1 : at->second;
}

std::vector<Way> Ways::path(int begin, int end, const std::set<int> &but) const
{
    using Cost = std::pair<int, int>; // number of ways back, and of calls
    std::map<int, std::pair<Cost, std::vector<Way>>> best;
    std::set<std::pair<Cost, int>> open = {{{0, 0}, begin}};
    std::set<int> done;
    while (!open.empty()) {
        auto [cost, node] = *open.begin();
        open.erase(open.begin());
        if (!done.insert(node).second)
            continue;
        for (const Way &w : from(node)) {
            Cost there = {cost.first + (w.back >= 0), cost.second + 1};
            auto at = best.find(w.to);
            if ((w.to != end && but.count(w.to)) ||
                (at != best.end() && at->second.first <= there))
                continue;
            std::vector<Way> way =
                node == begin ? std::vector<Way>() : best[node].second;
            way.push_back(w);
            best[w.to] = {there, way};
            if (w.to != end)
                open.insert({there, w.to});
        }
    }
    auto at = best.find(end);
    return at == best.end() ? std::vector<Way>() : at->second.second;
}

// ---- files ----------------------------------------------------------

static bool belongs(const Site &s, const Found &in, const File &f)
{
    const Opening *o = s.opening >= 0 ? &in.openings[s.opening] : nullptr;
    if (!o || !f.opening)
        return !o && !f.opening && f.name == s.handle;
    return o == f.opening || sameness(o->path_key, f.opening->path_key) == SAME;
}

std::vector<Logical> logical_files(const Found &in, const Report &r)
{
    std::vector<Logical> out;
    for (const File &f : r.files) {
        auto is = [&](const Logical &l) { return sameness(*l.files[0], f) == SAME; };
        auto at = std::find_if(out.begin(), out.end(), is);
        if (at == out.end())
            at = out.insert(out.end(), Logical());
        at->files.push_back(&f);
        for (size_t n = 0; n < in.sites.size(); n++)
            if (belongs(in.sites[n], in, f))
                at->sites.insert(n);
    }
    return out;
}

} // namespace ldadc
