// Where a program begins: main(), and the functions that nobody calls.
#include "ldadc/interp/interp.h"

using namespace clang;

namespace ldadc
{

Interp::Interp(const Program &p) : program(p)
{
}

// Parameters of one name and type are one thing in all functions that nobody calls.
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

void Interp::enter(const FunctionDecl *f, const std::string &how)
{
    visited.insert(f);
    Frame frame;
    frame.function = f;
    frame.number = next_frame++;
    frame.result = new_object({Object::LOCAL, "result", f->getReturnType()});
    frames = {frame};
    now = State();
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
    frames.clear();
    loops.clear();
    leaves.clear();
    jumps.clear();
}

void Interp::run()
{
    if (program.main) {
        from_main = true;
        enter(program.main, "");
        from_main = false;
    }
    for (const FunctionDecl *f : program.functions)
        if (f != program.main && !program.called.count(f))
            enter(f, program.pointed.count(f) ? "is called by a pointer" : "");
    for (const FunctionDecl *f : program.functions)
        if (f != program.main && !visited.count(f))
            enter(f, "is not called where it is followed");
}

} // namespace ldadc
