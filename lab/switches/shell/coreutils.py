"""Programs that work on files and text, as GNU coreutils has them."""

import hashlib
import posixpath
from collections.abc import Callable, Mapping

from lab.switches.file_system import FileSystemError
from lab.switches.shell.call import Call, Program


def _options(call: Call) -> tuple[frozenset[str], list[str]]:
    """Split arguments into single-letter options and operands."""
    words = call.arguments[1:]
    short = (word[1:] for word in words if word.startswith("-") and word[1:2] not in {"", "-"})
    return frozenset("".join(short)), [word for word in words if not word.startswith("-") or word == "-"]


def _path(call: Call, text: str) -> str:
    return posixpath.normpath(posixpath.join(call.switch.home, text))


def _into(call: Call, source: str, target: str) -> str:
    """Where a copy of ``source`` lands: in the folder ``target``, or under that name."""
    path = _path(call, target)
    return posixpath.join(path, posixpath.basename(source)) if call.switch.files.is_folder(path) else path


async def cat(call: Call) -> int:
    """Print files, or standard input."""
    _, operands = _options(call)
    if not operands:
        call.out.append(await call.stdin())
    status = 0
    for operand in operands:
        special = call.switch.special_file(operand)
        try:
            call.out.append(special if special is not None else call.switch.files.read(_path(call, operand)))
        except FileSystemError as error:
            status = call.fail(f"cat: {operand}: {error}")
    return status


async def cp(call: Call) -> int:
    """Copy a file."""

    def copy(source: str, target: str) -> None:
        call.switch.files.write(target, call.switch.files.read(source), root=call.root)

    return _transfer(call, copy)


async def mv(call: Call) -> int:
    """Rename a file."""
    return _transfer(call, lambda source, target: call.switch.files.rename(source, target, root=call.root))


def _transfer(call: Call, transfer: Callable[[str, str], None]) -> int:
    _, operands = _options(call)
    name = call.arguments[0]
    if len(operands) != 2:
        return call.fail(f"{name}: missing destination file operand")
    source = _path(call, operands[0])
    if not call.switch.files.is_file(source):
        return call.fail(f"{name}: cannot stat '{operands[0]}': No such file or directory")
    try:
        transfer(source, _into(call, source, operands[1]))
    except FileSystemError as error:
        return call.fail(f"{name}: cannot create regular file '{operands[1]}': {error}")
    return 0


async def rm(call: Call) -> int:
    """Delete files and folders."""
    letters, operands = _options(call)
    status = 0
    for operand in operands:
        path = _path(call, operand)
        try:
            if call.switch.files.is_folder(path) and letters & {"r", "R"}:
                call.switch.files.remove_folder(path, root=call.root)
            elif call.switch.files.is_file(path) or "f" not in letters:
                call.switch.files.remove(path, root=call.root)
        except FileSystemError as error:
            status = call.fail(f"rm: cannot remove '{operand}': {error}")
    return status


async def mkdir(call: Call) -> int:
    """Create folders."""
    letters, operands = _options(call)
    status = 0
    for operand in operands:
        try:
            call.switch.files.make_folder(_path(call, operand), parents="p" in letters, root=call.root)
        except FileSystemError as error:
            status = call.fail(f"mkdir: cannot create directory '{operand}': {error}")
    return status


async def ls(call: Call) -> int:
    """List folders, or with ``-d`` themselves."""
    letters, operands = _options(call)
    status = 0
    for operand in operands or ["."]:
        path = _path(call, operand)
        is_folder = call.switch.files.is_folder(path)
        if call.switch.files.is_file(path) or (is_folder and "d" in letters):
            call.print(operand)
        elif is_folder:
            call.out.extend(f"{name}\n" for name in call.switch.files.names(path))
        else:
            status = call.fail(f"ls: cannot access '{operand}': No such file or directory", 2)
    return status


async def touch(call: Call) -> int:
    """Create empty files."""
    _, operands = _options(call)
    for operand in operands:
        path = _path(call, operand)
        try:
            before = call.switch.files.read(path) if call.switch.files.is_file(path) else ""
            call.switch.files.write(path, before, root=call.root)
        except FileSystemError as error:
            return call.fail(f"touch: cannot touch '{operand}': {error}")
    return 0


async def tee(call: Call) -> int:
    """Copy standard input to files and to standard output."""
    letters, operands = _options(call)
    text = await call.stdin()
    call.out.append(text)
    status = 0
    for operand in operands:
        path = _path(call, operand)
        try:
            before = call.switch.files.read(path) if "a" in letters and call.switch.files.is_file(path) else ""
            call.switch.files.write(path, before + text, root=call.root)
        except FileSystemError as error:
            status = call.fail(f"tee: {operand}: {error}")
    return status


async def test(call: Call) -> int:
    """Answer a question about files or text with the exit status."""
    words = [word for word in call.arguments[1:] if word != "]"]
    if words[:1] == ["!"]:
        return 0 if not _holds(call, words[1:]) else 1
    return 0 if _holds(call, words) else 1


def _holds(call: Call, words: list[str]) -> bool:
    files = call.switch.files
    checks: Mapping[str, Callable[[str], bool]] = {
        "-f": lambda name: files.is_file(_path(call, name)),
        "-d": lambda name: files.is_folder(_path(call, name)),
        "-e": lambda name: files.is_file(_path(call, name)) or files.is_folder(_path(call, name)),
        "-s": lambda name: files.is_file(_path(call, name)) and bool(files.read(_path(call, name))),
        "-n": bool,
        "-z": lambda name: not name,
    }
    if len(words) == 2 and words[0] in checks:
        return checks[words[0]](words[1])
    if len(words) == 3 and words[1] in {"=", "==", "!="}:
        return (words[0] == words[2]) == (words[1] != "!=")
    return len(words) == 1 and bool(words[0])


async def cmp(call: Call) -> int:
    """Compare two files."""
    letters, operands = _options(call)
    try:
        one, two = (call.switch.files.read(_path(call, operand)) for operand in operands[:2])
    except (FileSystemError, ValueError) as error:
        return call.fail(f"cmp: {error}", 2)
    if one == two:
        return 0
    if "s" not in letters:
        call.print(f"{operands[0]} {operands[1]} differ: {_first_difference(one, two)}")
    return 1


def _first_difference(one: str, two: str) -> str:
    place = next((place for place, (a, b) in enumerate(zip(one, two, strict=False)) if a != b), min(len(one), len(two)))
    return f"byte {place + 1}, line {one.count(chr(10), 0, place) + 1}"


async def sha256sum(call: Call) -> int:
    """Print the SHA-256 of files."""
    _, operands = _options(call)
    for operand in operands or ["-"]:
        try:
            text = await call.stdin() if operand == "-" else call.switch.files.read(_path(call, operand))
        except FileSystemError as error:
            return call.fail(f"sha256sum: {operand}: {error}")
        call.print(f"{hashlib.sha256(text.encode()).hexdigest()}  {operand}")
    return 0


async def echo(call: Call) -> int:
    """Print words."""
    words = call.arguments[1:]
    newline = words[:1] != ("-n",)
    call.out.append(" ".join(words if newline else words[1:]) + ("\n" if newline else ""))
    return 0


async def printf(call: Call) -> int:
    """Print by a format that has %s only."""
    if len(call.arguments) < 2:
        return call.fail("printf: usage: printf [-v var] format [arguments]", 2)
    form = call.arguments[1].replace("\\n", "\n").replace("\\t", "\t").replace("\\\\", "\\")
    arguments = list(call.arguments[2:])
    while True:
        text = form
        while "%s" in text:
            text = text.replace("%s", arguments.pop(0) if arguments else "", 1)
        call.out.append(text.replace("%%", "%"))
        if not arguments or "%s" not in form:
            return 0


async def tail(call: Call) -> int:
    """Print the last lines."""
    return await _slice(call, last=True)


async def head(call: Call) -> int:
    """Print the first lines."""
    return await _slice(call, last=False)


async def _slice(call: Call, *, last: bool) -> int:
    numbers = [word.lstrip("-n") for word in call.arguments[1:] if word.lstrip("-n").isdigit()]
    count = int(numbers[0]) if numbers else 10
    lines = (await call.stdin()).splitlines(keepends=True)
    call.out.extend(lines[-count:] if last else lines[:count])
    return 0


async def grep(call: Call) -> int:
    """Print the lines that hold a text (no regular expressions)."""
    letters, operands = _options(call)
    if not operands:
        return call.fail("Usage: grep [OPTION]... PATTERNS [FILE]...", 2)
    text = call.switch.files.read(_path(call, operands[1])) if len(operands) > 1 else await call.stdin()
    found = [line for line in text.splitlines() if (operands[0] in line) != ("v" in letters)]
    if "q" not in letters:
        call.out.extend(f"{line}\n" for line in ([str(len(found))] if "c" in letters else found))
    return 0 if found else 1


async def true(_call: Call) -> int:
    """Succeed."""
    return 0


async def false(_call: Call) -> int:
    """Fail."""
    return 1


PROGRAMS: Mapping[str, Program] = {
    **{program.__name__: program for program in (cat, cp, mv, rm, mkdir, ls, touch, tee, test, cmp, sha256sum)},
    **{program.__name__: program for program in (echo, printf, tail, head, grep, true, false)},
    "[": test,
    "sync": true,
    ":": true,
    "umask": true,
    "chmod": true,
    "chown": true,
    "stty": true,
}
