"""The studio: a web application that shows a robot, its motion, its torques and its equations.

`state.py` and what it uses know nothing of a browser: `table.py` (a robot being edited), `forms.py` (what is typed in,
made numbers), `work.py` (what is computed), `code.py` (the Python that repeats it). `jobs.py` runs long work in other
processes, `uploads.py` takes files from strangers. `app.py` is the server; `panels/` has one part of the page per file,
`parts/` the components that run in the browser.
"""
