"""Chromium for tests: 3D drawn by software, and everything that a page complains about or asks others for."""

import shutil

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
# As browsers do on a machine without a GPU: WebGL by SwiftShader, the page itself put together without it.
FLAGS = [
    "--use-angle=swiftshader",
    "--enable-unsafe-swiftshader",
    "--ignore-gpu-blocklist",
    "--disable-gpu-compositing",
    "--no-sandbox",
]
PATIENCE = 300_000  # ms: a shared machine without a GPU; only what hangs takes so long
OF_THE_DRIVER = "GPU stall due to ReadPixels"  # how SwiftShader's pictures reach the page


def listen(page, *allowed: str) -> list[str]:
    """What goes wrong on a page from now on; requests may start with what is allowed."""
    complaints: list[str] = []

    def said(message):
        if message.type in ("error", "warning") and OF_THE_DRIVER not in message.text:
            complaints.append(message.text)

    def answer(dialog):
        if dialog.type == "beforeunload":  # unsaved work: leave, as the test wants to
            return dialog.accept()
        complaints.append(f"dialog {dialog.message}")
        return dialog.dismiss()

    page.on("console", said)
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("dialog", answer)
    page.on("request", lambda r: r.url.startswith((*allowed, "blob:", "data:")) or complaints.append(r.url))
    return complaints


def play_past(page, seconds: float) -> None:
    """Plays the motion, and pauses in the frame in which that time is passed.

    A click from here could come so late that the motion has begun again.
    """
    page.get_by_test_id("player-play").click()
    passed = """(seconds) => {
        const time = parseFloat(document.querySelector('[data-testid=player-time]').textContent);
        if (time > seconds) document.querySelector('[data-testid=player-play]').click();
        return time > seconds;
    }"""
    page.wait_for_function(passed, arg=seconds)
