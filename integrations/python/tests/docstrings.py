"""The examples in docstrings, which tests run as the blocks of a page."""

import ast
import contextlib
import doctest
import inspect
import io


def public(module):
    """Returns the public classes, methods and functions that a module defines, by name."""
    found = {}
    for name, value in vars(module).items():
        if name.startswith("_") or not (inspect.isclass(value) or inspect.isfunction(value)) or value.__module__ != module.__name__:
            continue
        found[name] = value
        for method in vars(value).values() if inspect.isclass(value) else ():
            if inspect.isfunction(method) and not method.__name__.startswith("_") and method.__qualname__.startswith(name):
                found[method.__qualname__] = method
    return found


async def run(described, session):
    """Runs the examples of a docstring in a session, also with `await`, and returns their number."""
    examples = doctest.DocTestParser().get_examples(inspect.getdoc(described) or "")
    for example in examples:
        printed = io.StringIO()
        mode = "eval" if example.want and not example.source.startswith("print") else "exec"
        code = compile(example.source, getattr(described, "__name__", ""), mode, ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
        with contextlib.redirect_stdout(printed):
            result = eval(code, session)
            result = await result if inspect.isawaitable(result) else result
        if example.want:
            assert (repr(result) if mode == "eval" else printed.getvalue().rstrip()) == example.want.rstrip(), example.source
    return len(examples)
