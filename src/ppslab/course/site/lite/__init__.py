"""Python for a reader's browser, put together when the site is built.

`recorded` writes what the newest records say, `calls` finds what the notebooks ask for, `wheel`
packs our own modules, `pyodide` lays all of it beside Pyodide.  None of it runs in the browser;
what does is ppslab.course.site.browser.
"""
