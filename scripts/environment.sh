# Sourced by ./demo and ./test: a virtual environment that is made once and kept up to date.

# The newest Python from 3.11 on that is here.
find_python() {
    for name in python3 python3.14 python3.13 python3.12 python3.11 python; do
        if command -v "$name" >/dev/null && "$name" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
            echo "$name"
            return
        fi
    done
    echo "redyn needs Python 3.11 or newer (Debian and Ubuntu: apt install python3 python3-venv)" >&2
    exit 1
}

as_root() {
    if [ "$(id -u)" = 0 ]; then "$@"; else sudo "$@"; fi
}

# For the tests of pages; they are skipped, and say so, where there is no browser and none can be had.
install_browser() {
    for name in chromium chromium-browser google-chrome; do
        command -v "$name" >/dev/null && return
    done
    if command -v apt-get >/dev/null; then
        echo "installing Chromium for the tests of pages"
        as_root apt-get update -qq && as_root apt-get install -y -qq chromium >/dev/null ||
            echo "Chromium could not be installed: the tests in a browser will be skipped" >&2
    fi
}

make_environment() {
    local folder=$1 python
    [ -x "$folder/bin/pip" ] && "$folder/bin/python" -c '' 2>/dev/null && return
    python=$(find_python)
    rm -rf "$folder"
    if ! "$python" -m venv "$folder" 2>/dev/null; then
        echo "installing python3-venv"
        rm -rf "$folder"
        as_root apt-get update -qq && as_root apt-get install -y -qq python3-venv >/dev/null
        "$python" -m venv "$folder"
    fi
}

# Installs when something that is installed from has changed since the last time: with -e, the source stays where it is.
install_redyn() {
    local folder=$1 from=(pyproject.toml README.md src) stamp
    shift
    if [ "$1" = -e ]; then from=(pyproject.toml README.md src/redyn/__init__.py); fi
    stamp=$(find "${from[@]}" -type f -not -path '*/__pycache__/*' -print0 | sort -z | xargs -0 cat | cksum)
    [ "$(cat "$folder/installed" 2>/dev/null)" = "$stamp $*" ] && return
    echo "installing redyn and what it needs into $folder (a few minutes the first time)"
    # Compiling every module of every package would take half as long again; Python does it for those that are imported.
    "$folder/bin/pip" install --quiet --disable-pip-version-check --no-compile "$@"
    echo "$stamp $*" >"$folder/installed"
}
