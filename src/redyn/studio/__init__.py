"""The studio: a web application that shows a robot, its motion, its torques and its equations.

`state.py` and its imports are independent of the browser: `table.py` (a robot being edited), `forms.py` (parses user
input), `work.py` (computes), `code.py` (generates the equivalent Python). `jobs.py` runs long computations in other
processes, `uploads.py` receives untrusted files. `app.py` is the server; `panels/` has one part of the page per file,
`parts/` the components that run in the browser.
"""
