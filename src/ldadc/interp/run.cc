// Entries of a program: main(), and the functions that nobody calls.
#include "ldadc/interp/interp.h"

using namespace clang;

namespace ldadc
{

Interp::Interp(const Program &p) : program(p)
{
}

// Makes a parameter. Those of one name and type are the same in all functions that
// nobody calls.
void Interp::parameter(const ParmVarDecl *v)
{
    Cell c = {object_of(v), {}};
    QualType t = v->getType();
    std::string name = v->getNameAsString();
    if (from_main) {
        if (t->isPointerType())
            write(c, Value::tag(v->getFunctionScopeIndex() == 1 ? "argv" : name));
        else
            write(c, Value::integer(
                         new_symbol({symbol_id(name), name, "initialised once",
                                     here(frames.back().function->getBody()).line})));
        return;
    }
    if (t->isRecordType())
        return forget(c, "is a caller's", here(frames.back().function->getBody()));
    std::string key = name + " " + t.getAsString();
    if (!parameters.count(key))
        parameters[key] = new_object({Object::FOREIGN, name, t});
    write(c, foreign_value({parameters[key], {}}, t, name));
}

// ---- from call to call ----------------------------------------------

int Interp::flow_node(FlowNode::Kind kind, const Place &where)
{
    if (probing)
        return -1;
    flow.nodes.push_back({kind, -1, where});
    return flow.nodes.size() - 1;
}

// Adds a way to a node from all nodes that may have been passed last. A way that exists
// already and does not go back stays.
void Interp::flow_to(int node, bool back)
{
    if (probing)
        return;
    for (int from : now.last) {
        auto at = flow.ways.insert({{from, node}, back}).first;
        at->second = at->second && back;
    }
}

void Interp::pass(int node)
{
    flow_to(node);
    if (!probing)
        now.last = {node};
}

void Interp::add_site(const Site &s)
{
    if (probing)
        return;
    int node = flow_node(FlowNode::CALL, s.where);
    flow.nodes[node].site = sites.size();
    sites.push_back(s);
    if (jumps_at >= 0)
        flow.ways[{jumps_at, node}] = true;
    pass(node);
    if (jumps_at >= 0)
        flow.ways[{node, jumps_at}] = true;
}

// ---- entries --------------------------------------------------------

void Interp::enter(const FunctionDecl *f, const std::string &how)
{
    visited.insert(f);
    Frame frame;
    frame.function = f;
    frame.number = next_frame++;
    frame.result = new_object({Object::LOCAL, "result", f->getReturnType()});
    frames = {frame};
    now = State();
    now.last = {from_main ? FlowNode::START : FlowNode::CALLERS};
    alive = true;
    if (!how.empty()) {
        Condition c;
        c.text = f->getNameAsString() + "() " + how;
        c.where = place_of(f->getASTContext(), f->getLocation());
        c.id = next_condition++;
        now.conditions.push_back(c);
    }
    for (const ParmVarDecl *v : f->parameters())
        parameter(v);
    exec_body(f);
    if (alive)
        frames.back().returns.push_back(std::move(now));
    for (State &s : frames.back().returns) {
        now = std::move(s);
        flow_to(from_main ? FlowNode::END : FlowNode::CALLERS, !from_main);
    }
    frames.clear();
    loops.clear();
    leaves.clear();
    jumps.clear();
}

void Interp::run()
{
    for (auto &[holder, all] : program.addressed)
        for (const VarDecl *v : all) {
            Object &o = objects[object_of(v)];
            o.escaped = true;
            o.poisoned |= program.changes_by_pointer;
        }
    if (program.main) {
        from_main = true;
        enter(program.main, "");
        from_main = false;
    }
    for (const FunctionDecl *f : program.functions)
        if (f != program.main && (!program.called.count(f) || program.pointed.count(f)))
            enter(f, program.pointed.count(f) ? "is called by a pointer" : "");
    for (const FunctionDecl *f : program.functions)
        if (f != program.main && !visited.count(f))
            enter(f, "is not called where it is followed");
}

} // namespace ldadc
