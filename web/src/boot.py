"""Begins the Python of one page: JupyterLite's kernel, speaking to the page by messages.

Run once by worker.mjs, whose `handle` this ends in.  A message to the page is its kind, the id of
the message that it belongs to, its content as JSON, and buffers.
"""

import json

# A notebook's cells know by it that there is a kernel (course.notebook.progress.in_kernel).
import ipykernel  # noqa: F401
import js
import pyodide_kernel
from pyodide.ffi import to_js

kernel, shell = pyodide_kernel.kernel_instance, pyodide_kernel.ipython_shell
# Completing words wants jedi, which a page does not load.
shell.Completer.use_jedi = False
shell.colors = "nocolor"


def begin(message):
    """What is said from now on belongs to this message."""
    kernel._parent_header = {"header": {"msg_id": message}}


def post(kind, content, buffers=None):
    """Send one message to the page."""
    made = {
        "kind": kind,
        "parent": kernel._parent_header["header"]["msg_id"],
        "content": json.dumps(content, default=str),
        "buffers": [bytes(each) for each in buffers or []],
    }
    js.postMessage(to_js(made, dict_converter=js.Object.fromEntries))


def said(name, text):
    """What a cell printed."""
    post("stream", {"name": name, "text": text})


def show(kind):
    """What shows a result of this kind."""

    def shown(data, metadata, transient=None):
        post(kind, {"data": data, "metadata": metadata, "transient": transient or {}})

    return shown


begin("")
shell.send_comm = lambda kind, content, metadata, ident, buffers: post(
    kind, {**content, "metadata": metadata}, buffers
)
pyodide_kernel.stdout_stream.publish_stream_callback = said
pyodide_kernel.stderr_stream.publish_stream_callback = said
shell.display_pub.clear_output_callback = lambda wait=False: post(
    "clear_output", {"wait": bool(wait)}
)
shell.display_pub.display_data_callback = show("display_data")
shell.display_pub.update_display_data_callback = show("update_display_data")
shell.displayhook.publish_execution_result = lambda count, data, metadata: show("execute_result")(
    data, metadata
)


async def handle(kind, message, content, buffers):
    """Run a cell, or hand a widget what its front says."""
    begin(message)
    content = json.loads(content)
    try:
        if kind == "run":
            result = await kernel.run(content["code"])
            if result["status"] == "error":
                post("error", {"evalue": result["evalue"], "traceback": [*result["traceback"]]})
        else:
            said = {"content": content, "metadata": content.get("metadata", {})}
            said["buffers"] = [each.to_py() for each in buffers]
            getattr(kernel.comm_manager, kind)(None, None, said)
    finally:
        post("idle", {})


handle  # noqa: B018  (worker.mjs takes the value of the last line)
