#!/usr/bin/env python3
"""Scripted model server for end-to-end tests of coding-agent CLIs.

Speaks Anthropic Messages, OpenAI Responses, OpenAI Chat Completions and Gemini
generateContent on 127.0.0.1, and replays turns from a scenario file. See
mock_model.md beside this file. Python 3.9+, standard library only.
"""
import argparse
import gzip
import hashlib
import json
import os
import re
import signal
import socket
import struct
import sys
import threading
import time
import zlib
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

# --------------------------------------------------------------------------
# Small helpers
# --------------------------------------------------------------------------


def sha(text):
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:16]


def clip(text, limit):
    return text if len(text) <= limit else text[:limit] + "…[+%d]" % (len(text) - limit)


def as_text(content):
    """Flatten any vendor's content value (string, part list, dict) to text."""
    if content is None:
        return ""
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        return "\n".join(t for t in (as_text(c) for c in content) if t)
    if isinstance(content, dict):
        for key in ("text", "output", "content", "parts", "input_text", "result"):
            if key in content and content[key] is not None:
                return as_text(content[key])
        return ""
    return str(content)


_ids = {"n": 0}
_ids_lock = threading.Lock()


def new_id(prefix):
    with _ids_lock:
        _ids["n"] += 1
        return "%s%08d%s" % (prefix, _ids["n"], os.urandom(4).hex())


# --------------------------------------------------------------------------
# Request normalisation: every API becomes one Req
# --------------------------------------------------------------------------


class Req:
    """What the agent told the model, independent of the wire format."""

    def __init__(self, api):
        self.api = api
        self.model = ""
        self.stream = False
        self.system = ""
        self.users = []          # text of each user message, tool results excluded
        self.tool_results = []   # [{id, text, is_error}] of the latest tool turn
        self.roles = []
        self.tools = {}          # name -> {"schema":…, "kind": function|custom|builtin}
        self.schema = None       # structured output schema, if one was asked for
        self.session = ""
        self.max_tokens = None
        self.assistants = 0
        self.trailing_user = False  # the last message is user text (not a tool result)
        self.include_usage = True


def _tool_result_text(block):
    return as_text(block.get("content") if "content" in block else block.get("output"))


def parse_anthropic(body, headers):
    r = Req("anthropic")
    r.model = body.get("model", "")
    r.stream = bool(body.get("stream"))
    r.max_tokens = body.get("max_tokens")
    r.system = as_text(body.get("system"))
    for m in body.get("messages") or []:
        role = m.get("role", "?")
        r.roles.append(role)
        content = m.get("content")
        if role == "assistant":
            r.assistants += 1
            r.trailing_user = False
            continue
        if role == "system":  # mid-conversation system message
            r.system += "\n" + as_text(content)
            continue
        texts, results = [], []
        if isinstance(content, str):
            texts.append(content)
        else:
            for b in content or []:
                if b.get("type") == "tool_result":
                    results.append({"id": b.get("tool_use_id"), "text": _tool_result_text(b),
                                    "is_error": bool(b.get("is_error"))})
                elif b.get("type") == "text":
                    texts.append(b.get("text", ""))
        if texts:
            r.users.append("\n".join(texts))
        r.tool_results = results
        r.trailing_user = bool(texts) and not results
    for t in body.get("tools") or []:
        kind = "function" if "input_schema" in t else "builtin"
        r.tools[t.get("name", "?")] = {"schema": t.get("input_schema") or {}, "kind": kind}
    fmt = body.get("output_config", {}).get("format") or body.get("output_format") or {}
    r.schema = fmt.get("schema")
    r.session = headers.get("x-claude-code-session-id", "")
    if not r.session:
        uid = (body.get("metadata") or {}).get("user_id") or ""
        found = re.search(r"session[_\"': ]+([0-9a-f-]{36})", uid)
        r.session = found.group(1) if found else headers.get("x-session-id", "")
    return r


def parse_chat(body, headers):
    r = Req("chat")
    r.model = body.get("model", "")
    r.stream = bool(body.get("stream"))
    r.max_tokens = body.get("max_tokens") or body.get("max_completion_tokens")
    r.include_usage = True
    for m in body.get("messages") or []:
        role = m.get("role", "?")
        r.roles.append(role)
        text = as_text(m.get("content"))
        if role in ("system", "developer"):
            r.system += ("\n" if r.system else "") + text
        elif role == "user":
            r.users.append(text)
            r.tool_results = []
            r.trailing_user = True
        elif role == "assistant":
            r.assistants += 1
            r.tool_results = []
            r.trailing_user = False
        elif role == "tool":
            r.tool_results.append({"id": m.get("tool_call_id"), "text": text, "is_error": False})
            r.trailing_user = False
    for t in body.get("tools") or []:
        f = t.get("function") or t.get("custom") or t
        r.tools[f.get("name", "?")] = {"schema": f.get("parameters") or {},
                                       "kind": t.get("type", "function")}
    fmt = body.get("response_format") or {}
    r.schema = (fmt.get("json_schema") or {}).get("schema")
    r.session = (headers.get("x-session-id") or headers.get("x-session-affinity")
                 or headers.get("session_id") or body.get("prompt_cache_key") or "")
    return r


def _responses_tools(r, tools):
    for t in tools or []:
        space = t.get("name")
        if t.get("type") == "namespace":
            for sub in t.get("tools") or []:
                # Codex puts its ordinary tools in a namespace called "functions".
                key = sub.get("name") if space == "functions" else "%s.%s" % (space, sub.get("name"))
                r.tools[key] = {"schema": sub.get("parameters") or {},
                                "kind": sub.get("type", "function"),
                                "namespace": None if space == "functions" else space,
                                "short": sub.get("name")}
            continue
        r.tools[space or t.get("type")] = {"schema": t.get("parameters") or {},
                                           "kind": t.get("type", "function")}


def parse_responses(body, headers):
    r = Req("responses")
    r.model = body.get("model", "")
    r.stream = bool(body.get("stream"))
    r.max_tokens = body.get("max_output_tokens")
    r.system = as_text(body.get("instructions"))
    items = body.get("input")
    if isinstance(items, str):
        items = [{"type": "message", "role": "user", "content": items}]
    last = None
    for it in items or []:
        kind = it.get("type") or "message"
        if kind == "message":
            role = it.get("role", "?")
            r.roles.append(role)
            text = as_text(it.get("content"))
            if role in ("system", "developer"):
                r.system += ("\n" if r.system else "") + text
            elif role == "user":
                r.users.append(text)
                r.tool_results = []
                r.trailing_user = True
            else:
                r.trailing_user = False
                if last != "assistant":
                    r.assistants += 1
                last = "assistant"
                r.tool_results = []
                continue
            last = role
        elif kind == "additional_tools":  # tools sent as an input item
            _responses_tools(r, it.get("tools"))
        elif kind.endswith("_output"):
            r.roles.append("tool")
            if last != "tool":
                r.tool_results = []
            r.tool_results.append({"id": it.get("call_id"), "text": as_text(it.get("output")),
                                   "is_error": False})
            r.trailing_user = False
            last = "tool"
        elif kind.endswith("_call"):
            if last != "assistant":
                r.assistants += 1
                r.roles.append("assistant")
            last = "assistant"
        # reasoning and other items are ignored
    _responses_tools(r, body.get("tools"))
    fmt = (body.get("text") or {}).get("format") or {}
    r.schema = fmt.get("schema")
    r.session = (headers.get("session_id") or headers.get("session-id")
                 or headers.get("x-client-request-id") or body.get("prompt_cache_key") or "")
    return r


def parse_gemini(body, headers, path):
    r = Req("gemini")
    if isinstance(body.get("request"), dict):  # Code Assist wraps the body
        r.model = body.get("model", "")
        body = body["request"]
    found = re.search(r"models/([^:/]+):", path)
    r.model = found.group(1) if found else r.model
    r.stream = ":streamGenerateContent" in path
    r.system = as_text(body.get("systemInstruction") or body.get("system_instruction"))
    for m in body.get("contents") or []:
        role = m.get("role", "user")
        r.roles.append(role)
        if role == "model":
            r.assistants += 1
            r.trailing_user = False
            continue
        texts, results = [], []
        for p in m.get("parts") or []:
            if "functionResponse" in p:
                fr = p["functionResponse"]
                resp = fr.get("response") or {}
                text = as_text(resp) or json.dumps(resp)
                results.append({"id": fr.get("id"), "text": text or str(resp.get("error", "")),
                                "is_error": "error" in resp})
            elif "text" in p:
                texts.append(p["text"])
        if texts and not results:
            r.users.append("\n".join(texts))
        r.tool_results = results
        r.trailing_user = bool(texts) and not results
    for t in body.get("tools") or []:
        for f in t.get("functionDeclarations") or t.get("function_declarations") or []:
            r.tools[f.get("name", "?")] = {
                "schema": f.get("parametersJsonSchema") or f.get("parameters") or {},
                "kind": "function"}
    conf = body.get("generationConfig") or {}
    r.schema = conf.get("responseJsonSchema") or conf.get("responseSchema")
    r.session = body.get("session_id") or headers.get("x-session-id", "")
    return r


# --------------------------------------------------------------------------
# Generic tool names -> the tool names and argument names that the CLI offered
# --------------------------------------------------------------------------

TOOL_ALIASES = {
    "bash": ["bash", "shell", "exec_command", "shell_command", "local_shell", "run_shell_command",
             "execute", "terminal", "run_command", "developer__shell", "execute_command", "exec"],
    "write_file": ["write", "write_file", "create", "create_file", "writefile", "write_to_file",
                   "developer__text_editor", "text_editor", "str_replace_editor"],
    "read_file": ["read", "read_file", "view", "readfile", "view_file", "cat"],
    "edit_file": ["edit", "replace", "edit_file", "str_replace", "str_replace_editor",
                  "editfile", "multiedit"],
    "list_dir": ["ls", "list_directory", "list", "list_dir", "glob"],
    "grep": ["grep", "search_file_content", "grep_search", "rg", "search"],
    "agent": ["agent", "task", "spawn_agent"],
    "apply_patch": ["apply_patch", "patch"],
}
ARG_ALIASES = {
    "path": ["file_path", "filePath", "path", "absolute_path", "absolutePath", "filename",
             "target_file", "dir_path", "file"],
    "content": ["content", "contents", "file_text", "fileText", "text", "file_content"],
    "command": ["command", "cmd", "script", "code"],
    "old": ["old_string", "oldString", "oldText", "old_text", "old_str", "search"],
    "new": ["new_string", "newString", "newText", "new_text", "new_str", "replace"],
    "pattern": ["pattern", "query", "regex"],
    "prompt": ["prompt", "message", "task"],
}


def find_tool(req, generic):
    """Name of the offered tool that plays `generic`; exact names win."""
    if generic in req.tools:
        return generic
    lower = {}
    for name in req.tools:
        lower.setdefault(name.lower(), name)
    for alias in TOOL_ALIASES.get(generic, []):
        if alias in lower:
            return lower[alias]
    return None


def props_of(schema):
    return (schema or {}).get("properties") or {}


def _type_of(spec):
    t = (spec or {}).get("type")
    if isinstance(t, list):
        t = next((x for x in t if x != "null"), "string")
    return str(t or "string").lower()


def adapt_args(tool, args, generic):
    """Rename generic argument names to the ones in the tool's own schema."""
    schema = tool.get("schema") or {}
    props = props_of(schema)
    if not props:
        return dict(args)
    out = {}
    for key, val in args.items():
        if key in props or key not in ARG_ALIASES:
            target = key
        else:
            target = next((a for a in ARG_ALIASES[key] if a in props), None)
            if target is None:
                continue
        if target in props and _type_of(props[target]) == "array" and isinstance(val, str):
            val = ["bash", "-lc", val] if target in ARG_ALIASES["command"] else [val]
        out[target] = val
    # Tools that take a list of edits instead of one old/new pair.
    if "old" in args and "edits" in props and not any(a in out for a in ARG_ALIASES["old"]):
        item = props_of((props["edits"] or {}).get("items"))
        old = next((a for a in ARG_ALIASES["old"] if a in item), "oldText")
        new = next((a for a in ARG_ALIASES["new"] if a in item), "newText")
        out["edits"] = [{old: args["old"], new: args.get("new", "")}]
    # One tool with a sub-command (text editor style).
    if generic in ("write_file", "edit_file", "read_file") and "command" in props and "command" not in out:
        out["command"] = {"write_file": "create", "edit_file": "str_replace",
                          "read_file": "view"}[generic]
    for name in schema.get("required") or []:
        if name in out:
            continue
        spec = props.get(name) or {}
        if spec.get("enum"):
            out[name] = spec["enum"][0]
            continue
        out[name] = {"string": "mock", "boolean": False, "integer": 1, "number": 1,
                     "array": [], "object": {}}.get(_type_of(spec), "mock")
    return out


def sq(text):
    return "'" + text.replace("'", "'\\''") + "'"


def resolve_call(req, call):
    """Scenario call -> {name, args, kind}. Falls back to a shell for file tools."""
    generic, args = call["name"], dict(call.get("args") or {})
    if call.get("raw"):
        tool = req.tools.get(generic, {"kind": "function"})
        return {"name": generic, "args": args, "kind": tool.get("kind", "function"),
                "input": call.get("input")}
    name = find_tool(req, generic)
    if name is None and generic in ("write_file", "edit_file", "read_file"):
        patch, shell = find_tool(req, "apply_patch"), find_tool(req, "bash")
        path = args.get("path", "")
        if shell is None and patch is not None and generic == "write_file":
            body = "\n".join("+" + ln for ln in args.get("content", "").splitlines())
            text = "*** Begin Patch\n*** Add File: %s\n%s\n*** End Patch\n" % (path, body)
            return {"name": patch, "args": {"input": text}, "input": text,
                    "kind": req.tools[patch]["kind"]}
        if generic == "write_file":
            cmd = "printf %%s %s > %s" % (sq(args.get("content", "")), sq(path))
        elif generic == "read_file":
            cmd = "cat %s" % sq(path)
        else:
            cmd = ("python3 - %s <<'EOF'\nimport sys\np=sys.argv[1]\ns=open(p).read()\n"
                   "open(p,'w').write(s.replace(%r,%r,1))\nEOF" %
                   (sq(path), args.get("old", ""), args.get("new", "")))
        generic, args, name = "bash", {"command": cmd}, shell
    if name is None:
        return {"name": generic, "args": args, "kind": "function", "input": call.get("input")}
    tool = req.tools[name]
    res = {"name": tool.get("short", name), "kind": tool.get("kind", "function"),
           "input": call.get("input"), "namespace": tool.get("namespace")}
    if tool.get("kind") == "custom" and generic == "bash":
        # Codex "code mode": one tool that takes JavaScript; the shell is reached from it.
        res["input"] = ("const r = await tools.exec_command({cmd: %s});\n"
                        "text(typeof r === 'string' ? r : JSON.stringify(r));"
                        % json.dumps(args.get("command", "")))
        res["args"] = args
        return res
    res["args"] = adapt_args(tool, args, generic)
    return res


# --------------------------------------------------------------------------
# Scenario
# --------------------------------------------------------------------------

CWD_PATTERNS = [
    r"Primary working directory: *`?([^\n`]+)",
    r"[Ww]orking directory: *`?([^\n`]+)",
    r"<cwd>([^<]+)</cwd>",
    r"[Cc]urrent working directory(?: is)?:? *`?([^\n`]+)",
    r"working in the (?:directory|workspace)[^\n]*?: *`?([^\n`]+)",
    r"- \*\*Workspace Directories:\*\*\s*- ([^\n]+)",
    r"following director(?:y|ies):\s*-? *([^\n]+)",
]
DEFAULT_TURN = {"text": "ok"}

# Calls that CLIs make on their own and that some of them send with tools attached.
SIDE_PATTERNS = [
    r"Generate a concise, single-line task title",
    r"[Yy]ou are a title generator",
    r"[Gg]enerate a (?:short|brief|concise)[^.\n]{0,40} title",
    r"Analyze if this message indicates a new conversation topic",
]


class Scenario:
    def __init__(self, data):
        self.data = data
        self.rules = data.get("agents") or data.get("rules") or []
        if not self.rules and data.get("turns"):
            self.rules = [{"name": "default", "turns": data["turns"]}]
        self.vars = dict(data.get("vars") or {})
        self.lock = threading.Lock()
        self.cursor = {}   # key -> next turn index
        self.faults = {}   # (key, index) -> times already injected
        self.repeats = {}  # (key, index) -> times already served
        for i, r in enumerate(self.rules):
            r.setdefault("name", "rule%d" % i)
            if not isinstance(r.get("turns"), list):
                raise ValueError("rule %r needs a list of turns" % r["name"])

    @staticmethod
    def _match(cond, req, path, headers, caught):
        fields = {
            "system": req.system,
            "first_user": req.users[0] if req.users else "",
            "last_user": req.users[-1] if req.users else "",
            "any_user": "\n".join(req.users),
            "any_text": req.system + "\n" + "\n".join(req.users),
            "tool_result": "\n".join(t["text"] for t in req.tool_results),
            "model": req.model, "api": req.api, "path": path, "session": req.session,
        }
        for key, rx in (cond or {}).items():
            if key == "header":
                for h, hrx in rx.items():
                    if not re.search(hrx, headers.get(h, ""), re.S):
                        return False
                continue
            if key == "has_tool":
                if find_tool(req, rx) is None:
                    return False
                continue
            if key not in fields:
                raise ValueError("unknown match field %r" % key)
            m = re.search(rx, fields[key], re.S)
            if not m:
                return False
            caught.update({k: v for k, v in m.groupdict().items() if v is not None})
        return True

    def pick(self, req, path, headers):
        """Returns (rule, captured variables) or (None, {})."""
        probe = req.system[:2000] + "\n" + (req.users[-1] if req.users else "")
        side = any(re.search(rx, probe) for rx in
                   SIDE_PATTERNS + list(self.data.get("side_patterns") or []))
        for rule in self.rules:
            if side and not rule.get("side"):
                continue
            # Title generation, quota probes and summaries carry no tools; they
            # must not use up an agent's turns unless the rule asks for them.
            if not req.tools and rule.get("tools", "required") != "any":
                continue
            caught = {}
            if self._match(rule.get("match"), req, path, headers, caught):
                return rule, caught
        return None, {}

    def conversation(self, rule, req):
        how = rule.get("cursor", "conversation")
        if how == "rule":
            return rule["name"]
        ident = req.session or sha(strip_context(req.users[0]) if req.users else "")
        return "%s/%s" % (rule["name"], ident)

    def next_turn(self, rule, req, path, headers):
        """(key, index, turn, fault or None). The cursor moves on commit()."""
        key = self.conversation(rule, req)
        turns = rule["turns"]
        with self.lock:
            if rule.get("cursor") == "history":
                idx = req.assistants
            else:
                idx = self.cursor.get(key, 0)
            while idx < len(turns) and "when" in turns[idx]:
                if self._match(turns[idx]["when"], req, path, headers, {}):
                    break
                idx += 1
            if idx >= len(turns):
                after = rule.get("after", "text")
                if after == "repeat_last" and turns:
                    idx = len(turns) - 1
                elif after == "restart" and turns:
                    idx = 0
                elif after == "error":
                    return key, idx, {"text": ""}, {"kind": "status", "status": 500,
                                                    "message": "mock: scenario exhausted"}
                else:
                    return key, len(turns), {"text": rule.get("after_text", "Done.")}, None
            turn = turns[idx]
            fault = turn.get("fault")
            if fault:
                used = self.faults.get((key, idx), 0)
                times = fault.get("times", 1)
                if times >= 0 and used >= times:
                    fault = None
                else:
                    self.faults[(key, idx)] = used + 1
            return key, idx, turn, fault

    def commit(self, rule, key, idx, turn):
        with self.lock:
            served = self.repeats.get((key, idx), 0) + 1
            self.repeats[(key, idx)] = served
            if served >= int(turn.get("repeat", 1)):
                self.cursor[key] = idx + 1
                self.repeats[(key, idx)] = 0
            else:
                self.cursor[key] = idx

    def expand(self, value, env):
        if isinstance(value, str):
            if not env.get("cwd"):  # unknown folder: a relative path, never "/file"
                value = value.replace("{{cwd}}/", "").replace("{{cwd}}", ".")
            return re.sub(r"\{\{(\w+)\}\}", lambda m: str(env.get(m.group(1), m.group(0))), value)
        if isinstance(value, list):
            return [self.expand(v, env) for v in value]
        if isinstance(value, dict):
            return {k: self.expand(v, env) for k, v in value.items()}
        return value


def strip_context(text):
    """User text without the blocks that CLIs put around it (environment, reminders)."""
    return re.sub(r"<(system-reminder|session_context|environment_context|env)>.*?</\1>\s*", "",
                  text, flags=re.S).strip()


def detect_cwd(req):
    hay = req.system + "\n" + "\n".join(req.users[:3])
    for rx in CWD_PATTERNS:
        m = re.search(rx, hay)
        if m:
            return m.group(1).strip().rstrip(".")
    return ""


def sample_of(schema, depth=0):
    """Smallest value that fits a JSON schema (for structured side calls)."""
    if not isinstance(schema, dict) or depth > 6:
        return "mock"
    if schema.get("enum"):
        return schema["enum"][0]
    if "const" in schema:
        return schema["const"]
    for alt in ("anyOf", "oneOf"):
        if schema.get(alt):
            return sample_of(schema[alt][0], depth + 1)
    t = _type_of(schema)
    if t == "object" or "properties" in schema:
        props = props_of(schema)
        names = schema.get("required") or list(props)
        return {n: sample_of(props.get(n), depth + 1) for n in names}
    return {"boolean": False, "integer": 1, "number": 1, "array": [], "null": None}.get(t, "mock")


# --------------------------------------------------------------------------
# Response encoders. Each yields SSE frames (bytes) or builds one JSON body.
# An answer is {"text", "thinking", "calls": [...], "usage": {...}, "stop"}.
# --------------------------------------------------------------------------


def usage_of(answer):
    u = answer.get("usage") or {}
    return {"input": int(u.get("input", 100)), "output": int(u.get("output", 20)),
            "cache_read": int(u.get("cache_read", 0)), "cache_write": int(u.get("cache_write", 0)),
            "reasoning": int(u.get("reasoning", 0))}


def split_text(text, size=24):
    return [text[i:i + size] for i in range(0, len(text), size)] or []


def sse(data, event=None):
    head = ("event: %s\n" % event) if event else ""
    return (head + "data: " + json.dumps(data, separators=(",", ":")) + "\n\n").encode()


def anthropic_body(req, ans):
    u = usage_of(ans)
    content = []
    if ans.get("thinking"):
        content.append({"type": "thinking", "thinking": ans["thinking"], "signature": "bW9jaw=="})
    if ans.get("text"):
        content.append({"type": "text", "text": ans["text"]})
    for c in ans["calls"]:
        content.append({"type": "tool_use", "id": c["id"], "name": c["name"], "input": c["args"]})
    return {"id": new_id("msg_mock"), "type": "message", "role": "assistant", "model": req.model,
            "content": content, "stop_reason": ans.get("stop") or ("tool_use" if ans["calls"] else "end_turn"),
            "stop_sequence": None,
            "usage": {"input_tokens": u["input"], "output_tokens": u["output"],
                      "cache_read_input_tokens": u["cache_read"],
                      "cache_creation_input_tokens": u["cache_write"]}}


def anthropic_stream(req, ans):
    full = anthropic_body(req, ans)
    usage = dict(full["usage"])
    start = dict(full, content=[], stop_reason=None, usage=dict(usage, output_tokens=1))
    yield sse({"type": "message_start", "message": start}, "message_start")
    yield sse({"type": "ping"}, "ping")
    for i, block in enumerate(full["content"]):
        kind = block["type"]
        if kind == "text":
            empty, deltas = {"type": "text", "text": ""}, [
                {"type": "text_delta", "text": t} for t in split_text(block["text"])]
        elif kind == "thinking":
            empty = {"type": "thinking", "thinking": "", "signature": ""}
            deltas = [{"type": "thinking_delta", "thinking": block["thinking"]},
                      {"type": "signature_delta", "signature": block["signature"]}]
        else:
            empty = dict(block, input={})
            deltas = [{"type": "input_json_delta", "partial_json": t}
                      for t in split_text(json.dumps(block["input"]), 48)]
        yield sse({"type": "content_block_start", "index": i, "content_block": empty},
                  "content_block_start")
        for d in deltas:
            yield sse({"type": "content_block_delta", "index": i, "delta": d}, "content_block_delta")
        yield sse({"type": "content_block_stop", "index": i}, "content_block_stop")
    yield sse({"type": "message_delta",
               "delta": {"stop_reason": full["stop_reason"], "stop_sequence": None},
               "usage": usage}, "message_delta")
    yield sse({"type": "message_stop"}, "message_stop")


def chat_usage(ans):
    u = usage_of(ans)
    return {"prompt_tokens": u["input"] + u["cache_read"], "completion_tokens": u["output"],
            "total_tokens": u["input"] + u["cache_read"] + u["output"],
            "prompt_tokens_details": {"cached_tokens": u["cache_read"]},
            "completion_tokens_details": {"reasoning_tokens": u["reasoning"]}}


def chat_calls(ans):
    return [{"id": c["id"], "type": "function",
             "function": {"name": c["name"], "arguments": json.dumps(c["args"])}}
            for c in ans["calls"]]


def chat_body(req, ans):
    msg = {"role": "assistant", "content": ans.get("text") or None}
    if ans["calls"]:
        msg["tool_calls"] = chat_calls(ans)
    return {"id": new_id("chatcmpl-mock"), "object": "chat.completion", "created": int(time.time()),
            "model": req.model,
            "choices": [{"index": 0, "message": msg, "logprobs": None,
                         "finish_reason": "tool_calls" if ans["calls"] else "stop"}],
            "usage": chat_usage(ans)}


def chat_stream(req, ans):
    base = {"id": new_id("chatcmpl-mock"), "object": "chat.completion.chunk",
            "created": int(time.time()), "model": req.model}

    def chunk(delta, finish=None):
        return sse(dict(base, choices=[{"index": 0, "delta": delta, "finish_reason": finish}]))

    yield chunk({"role": "assistant", "content": ""})
    for t in split_text(ans.get("text") or ""):
        yield chunk({"content": t})
    for i, c in enumerate(chat_calls(ans)):
        first = {"index": i, "id": c["id"], "type": "function",
                 "function": {"name": c["function"]["name"], "arguments": ""}}
        yield chunk({"tool_calls": [first]})
        for part in split_text(c["function"]["arguments"], 48):
            yield chunk({"tool_calls": [{"index": i, "function": {"arguments": part}}]})
    yield chunk({}, "tool_calls" if ans["calls"] else "stop")
    yield sse(dict(base, choices=[], usage=chat_usage(ans)))
    yield b"data: [DONE]\n\n"


def responses_items(ans):
    items = []
    if ans.get("thinking"):
        items.append({"type": "reasoning", "id": new_id("rs_mock"), "encrypted_content": None,
                      "summary": [{"type": "summary_text", "text": ans["thinking"]}]})
    if ans.get("text"):
        items.append({"type": "message", "id": new_id("msg_mock"), "status": "completed",
                      "role": "assistant",
                      "content": [{"type": "output_text", "text": ans["text"], "annotations": []}]})
    for c in ans["calls"]:
        if c["kind"] == "custom":
            text = c.get("input")
            if text is None:
                text = c["args"].get("input", json.dumps(c["args"]))
            items.append({"type": "custom_tool_call", "id": new_id("ctc_mock"), "status": "completed",
                          "call_id": c["id"], "name": c["name"], "input": text})
        elif c["kind"] == "local_shell":
            cmd = c["args"].get("command", "")
            items.append({"type": "local_shell_call", "id": new_id("lsh_mock"), "status": "completed",
                          "call_id": c["id"], "action": {
                              "type": "exec", "env": {},
                              "command": cmd if isinstance(cmd, list) else ["bash", "-lc", cmd]}})
        else:
            item = {"type": "function_call", "id": new_id("fc_mock"), "status": "completed",
                    "call_id": c["id"], "name": c["name"], "arguments": json.dumps(c["args"])}
            if c.get("namespace"):
                item["namespace"] = c["namespace"]
            items.append(item)
    return items


def responses_usage(ans):
    u = usage_of(ans)
    return {"input_tokens": u["input"] + u["cache_read"],
            "input_tokens_details": {"cached_tokens": u["cache_read"]},
            "output_tokens": u["output"],
            "output_tokens_details": {"reasoning_tokens": u["reasoning"]},
            "total_tokens": u["input"] + u["cache_read"] + u["output"]}


def responses_body(req, ans):
    return {"id": new_id("resp_mock"), "object": "response", "created_at": int(time.time()),
            "status": "completed", "model": req.model, "output": responses_items(ans),
            "error": None, "incomplete_details": None, "parallel_tool_calls": True, "tools": [],
            "tool_choice": "auto", "metadata": {}, "usage": responses_usage(ans)}


def responses_stream(req, ans):
    full = responses_body(req, ans)
    seq = {"n": -1}

    def ev(kind, **fields):
        seq["n"] += 1
        return sse(dict({"type": kind, "sequence_number": seq["n"]}, **fields), kind)

    opening = dict(full, status="in_progress", output=[], usage=None)
    yield ev("response.created", response=opening)
    yield ev("response.in_progress", response=opening)
    for i, item in enumerate(full["output"]):
        shell = dict(item, status="in_progress")
        if item["type"] == "message":
            shell["content"] = []
            text = item["content"][0]["text"]
            yield ev("response.output_item.added", output_index=i, item=shell)
            part = {"type": "output_text", "text": "", "annotations": []}
            where = {"item_id": item["id"], "output_index": i, "content_index": 0}
            yield ev("response.content_part.added", part=part, **where)
            for t in split_text(text):
                yield ev("response.output_text.delta", delta=t, logprobs=[], **where)
            yield ev("response.output_text.done", text=text, logprobs=[], **where)
            yield ev("response.content_part.done", part=dict(part, text=text), **where)
        elif item["type"] == "function_call":
            yield ev("response.output_item.added", output_index=i, item=dict(shell, arguments=""))
            for t in split_text(item["arguments"], 48):
                yield ev("response.function_call_arguments.delta", item_id=item["id"],
                         output_index=i, delta=t)
            yield ev("response.function_call_arguments.done", item_id=item["id"],
                     output_index=i, name=item["name"], arguments=item["arguments"])
        elif item["type"] == "custom_tool_call":
            yield ev("response.output_item.added", output_index=i, item=dict(shell, input=""))
            yield ev("response.custom_tool_call_input.delta", item_id=item["id"], output_index=i,
                     delta=item["input"])
            yield ev("response.custom_tool_call_input.done", item_id=item["id"], output_index=i,
                     input=item["input"])
        elif item["type"] == "reasoning":
            yield ev("response.output_item.added", output_index=i, item=dict(shell, summary=[]))
            where = {"item_id": item["id"], "output_index": i, "summary_index": 0}
            text = item["summary"][0]["text"]
            yield ev("response.reasoning_summary_part.added",
                     part={"type": "summary_text", "text": ""}, **where)
            yield ev("response.reasoning_summary_text.delta", delta=text, **where)
            yield ev("response.reasoning_summary_text.done", text=text, **where)
            yield ev("response.reasoning_summary_part.done",
                     part={"type": "summary_text", "text": text}, **where)
        else:
            yield ev("response.output_item.added", output_index=i, item=shell)
        yield ev("response.output_item.done", output_index=i, item=item)
    yield ev("response.completed", response=full)


def gemini_usage(ans):
    u = usage_of(ans)
    return {"promptTokenCount": u["input"] + u["cache_read"], "candidatesTokenCount": u["output"],
            "totalTokenCount": u["input"] + u["cache_read"] + u["output"] + u["reasoning"],
            "cachedContentTokenCount": u["cache_read"], "thoughtsTokenCount": u["reasoning"]}


def gemini_chunks(req, ans):
    rid = new_id("mock")

    def chunk(parts, finish=None, usage=False):
        cand = {"content": {"role": "model", "parts": parts}, "index": 0}
        if finish:
            cand["finishReason"] = finish
        out = {"candidates": [cand], "modelVersion": req.model, "responseId": rid}
        if usage:
            out["usageMetadata"] = gemini_usage(ans)
        return out

    if ans.get("thinking"):
        yield chunk([{"text": ans["thinking"], "thought": True}])
    for t in split_text(ans.get("text") or "", 64):
        yield chunk([{"text": t}])
    calls = [{"functionCall": {"id": c["id"], "name": c["name"], "args": c["args"]},
              "thoughtSignature": "bW9jaw=="} for c in ans["calls"]]
    if calls:
        yield chunk(calls)
    # The closing chunk carries an empty text part only when it must not look like an empty answer.
    yield chunk([{"text": ""}], "STOP", usage=True)


def gemini_body(req, ans):
    parts, last = [], None
    for c in gemini_chunks(req, ans):
        parts += [p for p in c["candidates"][0]["content"]["parts"] if p.get("text") != ""]
        last = c
    last["candidates"][0]["content"]["parts"] = parts or [{"text": ""}]
    return last


def gemini_stream(req, ans, as_array=False):
    if not as_array:
        for c in gemini_chunks(req, ans):
            yield sse(c)
        return
    chunks = list(gemini_chunks(req, ans))
    for i, c in enumerate(chunks):
        head = "[" if i == 0 else ",\n"
        yield (head + json.dumps(c) + ("]" if i == len(chunks) - 1 else "")).encode()


def error_body(api, status, message, retry_after=None, kind=None):
    if api == "anthropic":
        name = kind or {400: "invalid_request_error", 401: "authentication_error",
                        403: "permission_error", 404: "not_found_error", 413: "request_too_large",
                        429: "rate_limit_error", 529: "overloaded_error"}.get(status, "api_error")
        return {"type": "error", "error": {"type": name, "message": message},
                "request_id": new_id("req_mock")}
    if api == "gemini":
        name = kind or {400: "INVALID_ARGUMENT", 401: "UNAUTHENTICATED", 403: "PERMISSION_DENIED",
                        404: "NOT_FOUND", 429: "RESOURCE_EXHAUSTED",
                        503: "UNAVAILABLE"}.get(status, "INTERNAL")
        err = {"code": status, "message": message, "status": name}
        if retry_after is not None:
            err["details"] = [{"@type": "type.googleapis.com/google.rpc.RetryInfo",
                               "retryDelay": "%ss" % retry_after}]
        return {"error": err}
    name = kind or {400: "invalid_request_error", 401: "invalid_api_key",
                    429: "rate_limit_exceeded"}.get(status, "server_error")
    return {"error": {"message": message, "type": name, "param": None, "code": name}}


# --------------------------------------------------------------------------
# HTTP server
# --------------------------------------------------------------------------

LOG_HEADERS = ("user-agent", "x-app", "anthropic-beta", "originator", "session_id", "session-id",
               "x-claude-code-session-id", "x-claude-code-agent-id", "x-session-id",
               "x-initiator", "x-stainless-retry-count", "x-goog-api-client", "openai-beta")


class State:
    def __init__(self, args):
        self.args = args
        self.lock = threading.Lock()
        self.count = 0
        self.requests = []
        self.log_file = open(args.log, "a", encoding="utf-8") if args.log else None
        self.scenario = None

    def load(self, data):
        sc = Scenario(data)
        for item in self.args.var or []:
            k, _, v = item.partition("=")
            sc.vars[k] = v
        self.scenario = sc

    def number(self):
        with self.lock:
            self.count += 1
            return self.count

    def log(self, rec):
        line = json.dumps(rec, ensure_ascii=False)
        with self.lock:
            self.requests.append(rec)
            del self.requests[:-5000]
            if self.log_file:
                self.log_file.write(line + "\n")
                self.log_file.flush()


class Dropped(Exception):
    """The client is gone, or the scenario said to drop it."""


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server_version = "mock-model"
    sys_version = ""
    state = None  # set by main()

    def log_message(self, fmt, *args):
        if self.state.args.verbose:
            sys.stderr.write("mock: " + fmt % args + "\n")

    # -- plumbing ----------------------------------------------------------

    def read_body(self):
        if self.headers.get("transfer-encoding", "").lower() == "chunked":
            data = b""
            while True:
                size = int(self.rfile.readline().split(b";")[0].strip() or b"0", 16)
                if size == 0:
                    while self.rfile.readline().strip():
                        pass
                    break
                data += self.rfile.read(size)
                self.rfile.readline()
        else:
            data = self.rfile.read(int(self.headers.get("content-length") or 0))
        enc = self.headers.get("content-encoding", "").lower()
        try:
            if enc == "gzip":
                data = gzip.decompress(data)
            elif enc == "deflate":
                data = zlib.decompress(data)
        except (OSError, zlib.error):
            pass
        return data

    def send_json(self, status, obj, headers=None):
        data = json.dumps(obj).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(data)))
        for k, v in (headers or {}).items():
            self.send_header(k, str(v))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(data)

    def reset(self):
        """Close with RST so that the client sees a connection reset."""
        try:
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            self.wfile = open(os.devnull, "wb")
            os.close(self.connection.detach())
        except OSError:
            pass
        self.close_connection = True
        raise Dropped()

    def chunk(self, data):
        self.wfile.write(b"%x\r\n%s\r\n" % (len(data), data))
        self.wfile.flush()

    def send_stream(self, frames, ctype, fault, chunk_ms, headers=None):
        kind = (fault or {}).get("kind")
        self.send_response(200)
        self.send_header("content-type", ctype)
        self.send_header("cache-control", "no-cache")
        self.send_header("transfer-encoding", "chunked")
        for k, v in (headers or {}).items():
            self.send_header(k, str(v))
        self.end_headers()
        stop_at = int((fault or {}).get("after_events", 3))
        for i, frame in enumerate(frames):
            if kind in ("reset", "truncate", "sse_error", "garbage", "stall") and i == stop_at:
                if kind == "reset":
                    self.wfile.flush()
                    time.sleep(0.05)  # let what was sent arrive before the RST discards it
                    self.reset()
                if kind == "stall":
                    time.sleep(float(fault.get("ms", 60000)) / 1000)
                    self.reset()
                if kind == "garbage":
                    self.chunk(b"data: {\"type\": not json\n\n")
                if kind == "sse_error":
                    status = int(fault.get("status", 529))
                    api = fault["_api"]
                    body = error_body(api, status, fault.get("message", "Overloaded"))
                    if api == "responses":
                        self.chunk(sse({"type": "response.failed", "sequence_number": 99, "response": {
                            "id": new_id("resp_mock"), "object": "response", "status": "failed",
                            "output": [], "usage": None,
                            "error": {"code": body["error"]["code"],
                                      "message": body["error"]["message"]}}}, "response.failed"))
                    else:
                        self.chunk(sse(body, "error" if api == "anthropic" else None))
                self.chunk(b"") if False else self.wfile.write(b"0\r\n\r\n")
                self.wfile.flush()
                self.close_connection = True
                raise Dropped()
            if kind == "trickle":
                size = max(1, int(fault.get("bytes", 16)))
                for j in range(0, len(frame), size):
                    self.chunk(frame[j:j + size])
                    time.sleep(float(fault.get("chunk_ms", 50)) / 1000)
            else:
                self.chunk(frame)
                if chunk_ms:
                    time.sleep(chunk_ms / 1000)
        self.wfile.write(b"0\r\n\r\n")
        self.wfile.flush()

    # -- routing -----------------------------------------------------------

    def handle_any(self):
        n, t0 = self.state.number(), time.time()
        parts = urlsplit(self.path)
        path = parts.path
        rec = {"n": n, "ts": round(t0, 3), "method": self.command, "path": self.path}
        try:
            raw = self.read_body()
            if path.startswith("/__mock/"):
                return self.control(path, raw)
            heads = {k.lower(): v for k, v in self.headers.items()}
            rec["headers"] = {h: heads[h] for h in LOG_HEADERS if h in heads}
            auth = next((h for h in ("authorization", "x-api-key", "x-goog-api-key", "api-key")
                         if h in heads), None)
            rec["auth"] = auth  # the header's name only, never its value
            if self.state.args.bodies:
                os.makedirs(self.state.args.bodies, exist_ok=True)
                with open(os.path.join(self.state.args.bodies, "%05d.json" % n), "wb") as f:
                    f.write(raw)
            if "upgrade" in heads.get("connection", "").lower() and heads.get("upgrade"):
                rec["outcome"] = "upgrade refused"
                return self.send_json(426, error_body("chat", 426, "mock: no websockets"))
            try:
                body = json.loads(raw) if raw else {}
            except ValueError:
                body = {}
                rec["unparsed_bytes"] = len(raw)
            self.route(path, parts.query, body if isinstance(body, dict) else {}, heads, rec)
        except Dropped:
            pass
        except (BrokenPipeError, ConnectionResetError):
            rec["outcome"] = rec.get("outcome", "") + " client gone"
            self.close_connection = True
        except Exception as exc:  # a broken scenario must show up, not hang the agent
            rec["outcome"] = "mock error: %r" % exc
            sys.stderr.write("mock error: %r\n" % exc)
            try:
                self.send_json(500, error_body("chat", 500, "mock error: %r" % exc))
            except OSError:
                self.close_connection = True
        finally:
            if not path.startswith("/__mock/"):
                rec["ms"] = round((time.time() - t0) * 1000)
                self.state.log(rec)

    do_GET = do_POST = do_PUT = do_DELETE = do_PATCH = do_HEAD = do_OPTIONS = handle_any

    def control(self, path, raw):
        st = self.state
        if path == "/__mock/health":
            return self.send_json(200, {"ok": True, "requests": st.count})
        if path == "/__mock/requests":
            return self.send_json(200, st.requests)
        if path == "/__mock/scenario" and self.command in ("POST", "PUT"):
            try:
                st.load(json.loads(raw))
            except ValueError as exc:
                return self.send_json(400, {"error": str(exc)})
            return self.send_json(200, {"ok": True, "rules": len(st.scenario.rules)})
        if path == "/__mock/reset":
            st.load(st.scenario.data)
            st.requests.clear()
            return self.send_json(200, {"ok": True})
        if path == "/__mock/shutdown":
            self.send_json(200, {"ok": True})
            threading.Thread(target=self.server.shutdown, daemon=True).start()
            return None
        return self.send_json(404, {"error": "no such control"})

    def route(self, path, query, body, heads, rec):
        if path.endswith("/count_tokens"):
            rec["outcome"] = "count_tokens"
            return self.send_json(200, {"input_tokens": max(1, len(json.dumps(body)) // 4)})
        if path.endswith(":countTokens"):
            rec["outcome"] = "count_tokens"
            return self.send_json(200, {"totalTokens": max(1, len(json.dumps(body)) // 4)})
        post = self.command == "POST"
        if post and path.endswith("/messages"):
            return self.model_call(parse_anthropic(body, heads), path, query, heads, rec)
        if post and path.endswith("/chat/completions"):
            return self.model_call(parse_chat(body, heads), path, query, heads, rec)
        if post and path.endswith("/responses"):
            return self.model_call(parse_responses(body, heads), path, query, heads, rec)
        if post and re.search(r":(stream)?[gG]enerateContent$", path):
            return self.model_call(parse_gemini(body, heads, path), path, query, heads, rec)
        if self.command == "GET" and re.search(r"/models(/[^/]+)?$", path):
            return self.models(path, heads, rec)
        rec["outcome"] = "side channel"
        if re.search(r"event|telemetry|metric|log|track|otlp|statsig|growthbook|flags", path, re.I):
            return self.send_json(200, {})
        if self.command == "HEAD" or path == "/":
            return self.send_json(200, {})
        return self.send_json(404, error_body("anthropic", 404, "mock: no such endpoint"))

    def models(self, path, heads, rec):
        rec["outcome"] = "models"
        names = self.state.scenario.data.get("models") or ["mock-model"]
        if "v1beta" in path:
            return self.send_json(200, {"models": [
                {"name": "models/" + m, "displayName": m, "inputTokenLimit": 200000,
                 "outputTokenLimit": 32000, "supportedGenerationMethods": ["generateContent"]}
                for m in names]})
        data = [{"id": m, "object": "model", "type": "model", "display_name": m, "owned_by": "mock",
                 "created": 1700000000, "created_at": "2024-01-01T00:00:00Z",
                 "context_length": 200000} for m in names]
        one = path.rsplit("/", 1)[1]
        if one != "models":
            return self.send_json(200, dict(data[0], id=one, display_name=one))
        return self.send_json(200, {"object": "list", "data": data, "has_more": False,
                                    "first_id": names[0], "last_id": names[-1],
                                    "models": []})

    def model_call(self, req, path, query, heads, rec):
        sc = self.state.scenario
        limit = self.state.args.text_limit
        rec.update({
            "api": req.api, "model": req.model, "stream": req.stream, "session": req.session,
            "system_sha": sha(req.system), "system_chars": len(req.system),
            "messages": len(req.roles), "roles": "".join(r[0] for r in req.roles),
            "max_tokens": req.max_tokens,
            "tools": len(req.tools), "tools_sha": sha(",".join(sorted(req.tools))),
            "first_user": clip(req.users[0], limit) if req.users else "",
            "last_user": clip(req.users[-1], limit) if req.users else "",
            "prompt": clip(strip_context(req.users[-1]), limit) if req.users else "",
            "tool_results": [dict(t, text=clip(t["text"], limit)) for t in req.tool_results],
        })
        if self.state.args.log_system:
            rec["system"] = req.system
            rec["tool_names"] = sorted(req.tools)
        rule, caught = sc.pick(req, path, heads)
        if rule is None:
            text = sc.data.get("side_text", "ok")
            if req.schema:
                text = json.dumps(sample_of(req.schema))
            rec["rule"], rec["outcome"] = None, "side call"
            return self.answer(req, {"text": text, "calls": []}, None, query, 0)
        key, idx, turn, fault = sc.next_turn(rule, req, path, heads)
        rec.update({"rule": rule["name"], "conversation": key, "turn": idx})
        cwd = detect_cwd(req)
        env = dict({"cwd": cwd, "session": req.session, "model": req.model,
                    "last_user": req.users[-1] if req.users else ""},
                   **dict(sc.vars, **dict(rule.get("vars") or {}, **caught)))
        if req.tool_results:
            env["last_tool_result"] = req.tool_results[-1]["text"]
        expect = turn.get("expect")
        if expect and not fault:
            rec["expect_ok"] = Scenario._match(expect, req, path, heads, {})
        if turn.get("delay_ms"):
            time.sleep(float(turn["delay_ms"]) / 1000)
        if fault:
            rec["outcome"] = "fault " + fault["kind"]
            if fault["kind"] == "status":
                return self.fail(req, fault, rec)
            if fault["kind"] == "drop":
                self.reset()
            if fault["kind"] == "hang":
                time.sleep(float(fault.get("ms", 60000)) / 1000)
                self.reset()
        turn_x = sc.expand({k: v for k, v in turn.items() if k in ("text", "thinking", "tools")}, env)
        calls = []
        for c in turn_x.get("tools") or []:
            r = resolve_call(req, c)
            r["id"] = c.get("id") or new_id("call_" if req.api != "anthropic" else "toolu_")
            calls.append(r)
        ans = {"text": turn_x.get("text", ""), "thinking": turn_x.get("thinking", ""),
               "calls": calls, "usage": turn.get("usage"), "stop": turn.get("stop_reason")}
        rec["answer"] = {"text": clip(ans["text"], 200), "calls": [c["name"] for c in calls]}
        clean = fault is None or fault["kind"] == "trickle"
        if clean:
            sc.commit(rule, key, idx, turn)
            rec.setdefault("outcome", "answered")
        self.answer(req, ans, dict(fault, _api=req.api) if fault else None, query,
                    float(turn.get("chunk_ms", 0)), turn.get("headers"))

    def fail(self, req, fault, rec):
        status = int(fault.get("status", 429))
        rec["status"] = status
        heads = dict(fault.get("headers") or {})
        retry = fault.get("retry_after")
        if retry is not None:
            heads.setdefault("retry-after", retry)
        if "should_retry" in fault:
            heads["x-should-retry"] = "true" if fault["should_retry"] else "false"
        message = fault.get("message") or {429: "mock: rate limited", 529: "Overloaded"}.get(
            status, "mock: injected failure")
        body = fault.get("body") or error_body(req.api, status, message, retry, fault.get("type"))
        self.send_json(status, body, heads)

    def answer(self, req, ans, fault, query, chunk_ms, headers=None):
        if not req.stream:
            build = {"anthropic": anthropic_body, "chat": chat_body, "responses": responses_body,
                     "gemini": gemini_body}[req.api]
            if fault and fault["kind"] in ("reset", "truncate", "stall"):
                self.reset()
            return self.send_json(200, build(req, ans), headers)
        ctype = "text/event-stream; charset=utf-8"
        if req.api == "gemini":
            as_array = parse_qs(query).get("alt", [""])[0] != "sse"
            ctype = "application/json" if as_array else ctype
            frames = gemini_stream(req, ans, as_array)
        else:
            frames = {"anthropic": anthropic_stream, "chat": chat_stream,
                      "responses": responses_stream}[req.api](req, ans)
        return self.send_stream(frames, ctype, fault, chunk_ms, headers)


class Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128

    def handle_error(self, request, client_address):
        if self.RequestHandlerClass.state.args.verbose:
            super().handle_error(request, client_address)


def watch_parent(server, parent):
    while True:
        time.sleep(0.5)
        if os.getppid() != parent:
            server.shutdown()
            return


def main(argv=None):
    p = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    p.add_argument("--port", type=int, default=0, help="0 picks a free port (default)")
    p.add_argument("--scenario", help="scenario JSON file ('-' for stdin)")
    p.add_argument("--log", help="append one JSON line per request to this file")
    p.add_argument("--bodies", help="folder for the raw request bodies (NNNNN.json)")
    p.add_argument("--log-system", action="store_true", help="log system prompts and tool names too")
    p.add_argument("--text-limit", type=int, default=20000, help="characters kept of each logged text")
    p.add_argument("--var", action="append", metavar="K=V", help="value for {{K}} in the scenario")
    p.add_argument("--max-seconds", type=float, default=0, help="exit by itself after this long")
    p.add_argument("--with-parent", action="store_true", help="exit when the parent process does")
    p.add_argument("--verbose", action="store_true")
    args = p.parse_args(argv)
    if args.scenario == "-":
        data = json.load(sys.stdin)
    elif args.scenario:
        with open(args.scenario, encoding="utf-8") as f:
            data = json.load(f)
    else:
        data = {"turns": [DEFAULT_TURN]}
    state = State(args)
    state.load(data)
    Handler.state = state
    server = Server(("127.0.0.1", args.port), Handler)
    port = server.server_address[1]
    print(json.dumps({"port": port, "url": "http://127.0.0.1:%d" % port, "pid": os.getpid()}), flush=True)
    signal.signal(signal.SIGTERM, lambda *_: threading.Thread(target=server.shutdown, daemon=True).start())
    if args.with_parent:
        threading.Thread(target=watch_parent, args=(server, os.getppid()), daemon=True).start()
    if args.max_seconds:
        threading.Timer(args.max_seconds, server.shutdown).start()
    try:
        server.serve_forever(poll_interval=0.1)
    except KeyboardInterrupt:
        pass
    os._exit(0)


if __name__ == "__main__":
    main()
