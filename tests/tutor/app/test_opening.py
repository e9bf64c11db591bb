"""A step that is opened before NumPy and the pictures are loaded shows its words, and nothing typed gets lost."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

COURSE = Path(__file__).parent / "course"
# The app in a process of its own, in which nothing has been loaded ahead; "n" is typed while the words alone are there
PROGRAM = f"""
import asyncio, json, sys
from pathlib import Path
from textual import events
from tutor.course.load import load
from tutor.permissions import own_machine
from tutor.progress.store import Store
from tutor.study import Study
from tutor.app.profile import Profile
from tutor.app.main import TutorApp
from tutor.app.screens import opening
import tutor.app.preload
tutor.app.preload.preload = lambda **how: None
store = Store(Path(sys.argv[1]) / "p.db")
study = Study(load(Path({str(COURSE)!r})), store, Path(sys.argv[1]), own_machine())
seen = {{}}
give_way = opening.Opening._give_way
def looked_at(screen):
    seen["loaded"] = [name for name in ("numpy", "tutor.app.screens.lesson") if name in sys.modules]
    seen["words"] = [prose.source for prose in screen.query("Prose")]
    seen["title"] = screen.names()[1]
    screen.app.post_message(events.Key("n", "n"))
    screen.call_later(give_way, screen)
opening.Opening._give_way = looked_at
async def main():
    async with TutorApp(study, Profile()).run_test() as pilot:
        await pilot.press("enter")
        for _ in range(400):
            await pilot.pause(0.02)
            if pilot.app.screen.names()[1].startswith("2/"):
                break
        seen["screens"] = [type(screen).__name__ for screen in pilot.app.screen_stack]
        seen["at"] = pilot.app.screen.names()[1]
        await pilot.press("escape")
        await pilot.pause()
        seen["after"] = [type(screen).__name__ for screen in pilot.app.screen_stack]
asyncio.run(main())
print(json.dumps(seen))
"""


def test_words_first_then_the_lesson_with_the_keys_typed_meanwhile(tmp_path: Path) -> None:
    done = subprocess.run([sys.executable, "-c", PROGRAM, str(tmp_path)], capture_output=True, text=True, check=True)
    seen = json.loads(done.stdout)
    assert seen["loaded"] == []
    assert seen["title"].startswith("1/")
    assert seen["words"], "the step begins with words"
    assert seen["at"].startswith("2/")
    below = seen["after"]
    assert seen["screens"] == [*below, "LessonScreen"]
    assert below[-1] == "Home"
