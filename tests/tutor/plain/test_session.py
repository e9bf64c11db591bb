"""A whole course taken line by line: every kind of question, right and wrong, hints, exercise, and the way back."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tutor.progress.standing import OPEN, REVEALED, SOLVED
from tutor.study import Study, Unknown

Speak = Callable[..., str]


def flat(said: str) -> str:
    """Without line ends: where a line is broken depends on the width."""
    return " ".join(said.split())


def where(study: Study) -> str:
    found = study.where()
    assert found is not None
    return found[1].id


# Reading


def test_it_begins_with_what_can_be_typed_and_the_first_step(speak: Speak, study: Study) -> None:
    said = flat(speak())
    assert said.startswith("Type an answer as it is, and Enter. Enter alone goes on.")
    assert "Demo, step 1 of 6: A picture and a choice" in said
    assert "Three workers in a ring of 4 steps." in said
    assert "at the start, worker 1: chunk 0 is 10; chunk 1 is 20; chunk 2 is 30" in said
    assert "Question: What do the workers hold at the end?" in said
    assert said.index("Three workers") < said.index("at the start") < said.index("Question:")
    assert "Everything is kept. You are in Demo, at step 1 of 6" in said
    assert where(study) == "demo-choice"


def test_tables_and_code_are_readable(speak: Speak) -> None:
    said = speak("", "", where="kinds")
    assert "- call: all-reduce; leaves: all of it\n- call: reduce-scatter; leaves: a slice" in said
    assert "Which of them add?" in said
    assert "    gathered = [*pieces]   # kept as it is\n" in said


def test_enter_asks_before_it_leaves_a_question_open(speak: Speak, study: Study) -> None:
    said = speak("", "?", "")
    assert said.count("This question is open") == 2  # something else was typed between
    assert where(study) == "demo-choice"
    speak("", "")
    assert where(study) == "demo-number"


def test_back_go_and_lessons(speak: Speak, study: Study) -> None:
    said = speak(":back", ":go 3", ":b", ":go 99", ":go nowhere", ":go", ":lessons")
    assert "This is the first step of the lesson." in said
    assert where(study) == "demo-number"
    assert "Demo has no step 99; there are 1 to 6." in flat(said)
    assert "no lesson is called 'nowhere'" in flat(said)
    assert "  2  A number (you are here, open)\n" in said
    assert "demo: Demo, 5 minutes, 0 of 4 solved." in said
    speak(":go demo-zero", ":go second-one")
    assert where(study) == "second-one"
    # A lesson opens where it was open last
    speak(":go demo")
    assert where(study) == "demo-number"


def test_one_comes_back_to_where_one_was(speak: Speak, study: Study) -> None:
    assert "step 1 of 6" in speak("2", "")
    assert flat(speak()).count("Demo, step 2 of 6: A number") == 1
    assert "Second, step 1 of 1" in speak(where="second")
    assert "Demo, step 4 of 6" in speak(where="demo-bytes")
    with pytest.raises(Unknown, match="no lesson is called 'rin'"):
        speak(where="rin")


def test_the_end_of_a_lesson_leads_to_the_next(speak: Speak, study: Study) -> None:
    said = speak("", "", "", where="demo-end")
    assert "The end of Demo: 0 of 4 solved." in said
    assert "Enter once more goes on to the next lesson: Second." in flat(said)
    assert where(study) == "second-one"
    # Past a question that is left open too
    speak("", "", "", where="kinds-family")
    assert where(study) == "last-one"
    assert "That was the last lesson." in flat(speak("", "", ""))


def test_the_commands_are_listed_and_others_named(speak: Speak) -> None:
    said = flat(speak("?"))
    for command in (":back", ":again", ":go", ":picture", ":+", ":-", ":hint", ":reveal", ":vary", ":start", ":check"):
        assert command in said
    assert ":step 2" in said
    assert ":zz is no command here; ? lists them." in flat(speak(":zz"))
    assert "Nothing is asked here. Enter goes on; a command begins with :" in flat(speak("word", where="second"))


def test_looking_up(speak: Speak) -> None:
    said = flat(speak(":find ring", ":find", ":find workerz", ":find nonsense words"))
    assert "ring (term): Workers in a circle: N of them. Demo, step 2 of 6: A number (:go demo-number)" in said
    assert "Terms: ring, worker, zebra." in said
    assert "Nothing has 'workerz'. Did you mean worker?" in said
    assert "Nothing has 'nonsense words'." in said


# Questions


def test_a_choice(speak: Speak, study: Study) -> None:
    said = flat(speak("1", "1", "One number each", "9"))
    assert "Not right: What they started with. They have received something. One try left" in said
    assert "You have tried that one: it is not right." in said
    assert "Not right: One number each. Count the numbers of a row. The answer: The sums of all columns" in said
    assert "This question is done." in said
    assert study.standing("demo-sum").state == REVEALED
    assert study.standing("demo-sum").wrong == 2
    assert "Revealed: The sums of all columns Each column was added up." in flat(speak())


def test_a_number_and_its_family(speak: Speak, study: Study) -> None:
    said = flat(speak("many", "7", "14/2", ":hint", "14", ":vary", "6", ":vary", "15", "", where="demo-number"))
    assert "That does not count as a try." in said
    assert "Not right: 7. That is one phase." in said
    assert "That is the answer you gave before. 2 tries left" in said
    assert "Hint 1 of 1: Two phases." in said
    assert "Enter goes on; :vary asks it with other numbers." in said
    assert "How many steps does a ring of 4 workers take?" in said
    assert said.count("Right:") == 2
    assert said.count("How many steps does a ring of 8 workers take?") == 2
    assert "Not right: 15" in said
    assert "This question is open" in said
    assert study.standing("demo-steps").state == SOLVED
    assert [event.detail.get("seed") for event in study.store.events("demo-steps", "answer")] == [None, None, 1, 0]


def test_a_table_in_one_line_or_row_by_row(speak: Speak, study: Study) -> None:
    said = flat(speak("1 22; 10 20", "1 22", "99", "11", where="demo-table"))
    assert "Row 1: worker 0: chunk 0, chunk 1 Row 2: worker 1: chunk 0, chunk 1" in said
    assert "Worker 0 has sent chunk 0: add it." in said
    assert "Row 2 of 2: worker 1: chunk 0, chunk 1." in said
    assert "row 1 has 1 values, not 2" in said
    # What was typed so far is there in the next session, and in the app's own form
    assert study.store.draft("demo-rows") == "1 22; ? ?"
    said = flat(speak("11 20"))
    assert "Kept from before: 1 22. Row 2 of 2" in said
    assert "Right: 1 22; 11 20." in said
    assert study.standing("demo-rows").state == SOLVED
    assert study.store.draft("demo-rows") == ""


def test_rows_can_be_begun_again(speak: Speak, study: Study) -> None:
    said = flat(speak("9 9", ":again", "1 22", "11 20", where="demo-table"))
    assert "Right: 1 22; 11 20." in said


def test_a_wrong_table_is_kept_to_be_mended(speak: Speak) -> None:
    speak("1 22; 10 20", where="demo-table")
    assert "What you typed last: 1 22; 10 20" in flat(speak())


def test_what_is_asked_for_is_blank_in_the_picture(speak: Speak) -> None:
    said = speak(":+", where="demo-table")
    after = said[said.index("step 1 of 2") :]
    assert "after step 1, worker 0: chunk 0 is blank; chunk 1 is blank" in after
    assert "22" not in after
    # Other numbers are nobody's answer
    assert "chunk 1 is 33" in speak(":step 0", ":values 2 3; 20 30", ":step 1", where="demo-table")
    # And once it is answered, it can be seen
    assert "chunk 1 is 22" in flat(speak("1 22; 11 20", ":step 1", where="demo-table"))


def test_several_options_and_their_order(speak: Speak, study: Study) -> None:
    said = flat(speak("1, 2", "1 3", "", "gather, scatter", "scatter", "scatter, gather", where="kinds"))
    assert "Not right: all-reduce; all-gather. A gather adds nothing." in said
    assert "Right: all-reduce; reduce-scatter. Reduce means add." in said
    assert "There is nothing to copy yet." in said
    assert "1 is missing; accepted: every option once, numbers from 1 to 2" in said
    assert "Right: reduce-scatter, then all-gather." in said
    assert study.standing("kinds-order").state == SOLVED


def test_a_grid(speak: Speak, study: Study) -> None:
    said = flat(speak("0 1 .", ". 0 1", where="kinds-slots"))
    assert "Type 3 values parted by spaces. An idle slot is a point." in said
    assert "Not right" in said
    assert "Nothing has come yet." in said
    assert "Right: . 0 1. It needs what stage 0 makes." in said


def test_the_picture_follows_the_numbers_of_a_family(speak: Speak, study: Study) -> None:
    said = flat(speak(":reveal", ":reveal", ":vary", ":reveal", ":reveal", where="kinds-family"))
    first, second = said.split("The answer: ")[1:]
    assert first.split(" It adds.")[0] != second.split(" It adds.")[0]
    assert said.count("Picture: start") == 2
    assert "This question has no other numbers." in flat(speak(":vary", where="kinds-slots"))


def test_revealing_is_confirmed_and_remembered(speak: Speak, study: Study) -> None:
    said = flat(speak(":reveal", "1", ":reveal", where="kinds-ordered"))
    assert said.count("counts as revealed, not as solved") == 2
    assert study.standing("kinds-order").state == OPEN
    assert "The answer: reduce-scatter, then all-gather" in flat(speak(":r", ":reveal"))
    assert study.standing("kinds-order").state == REVEALED
    # Of a question that is done, the answer is simply said again
    assert flat(speak(":reveal")).count("Revealed: reduce-scatter, then all-gather") == 2
    assert len(study.store.events("kinds-order", "reveal")) == 1


def test_hints_come_one_by_one(speak: Speak, study: Study) -> None:
    said = flat(speak(":hint", ":h", ":hint"))
    assert "Hint 1 of 2: Look at the last step. Hint 2 of 2: All rows are equal there. Hint 2 of 2" in said
    assert study.standing("demo-sum").hints == 3
    assert "There are no hints for this question." in flat(speak(":hint", where="kinds-family"))
    assert "Nothing is asked here." in flat(speak(":hint", ":reveal", ":vary", where="second"))


# Pictures


def test_a_picture_is_moved_by_typing(speak: Speak) -> None:
    said = flat(speak(":+", ":step 4", ":+", ":-", ":step 9"))
    assert "step 1: worker 2 sends chunk 2, value 300, to worker 0, which adds it" in said
    assert "after step 4, worker 0: chunk 0 is 111, finished" in said
    assert "There is no further one: step 4 of 4." in said
    assert "Picture: step 3 of 4" in said
    assert "accepted: a whole number from 0 to 4" in said


def test_arrow_keys_are_named_where_they_do_nothing(speak: Speak, study: Study) -> None:
    assert "Arrow keys and the like do nothing here. :+ and :- change the picture" in flat(speak("\x1b[C"))
    assert study.standing("demo-sum").tries == 0


def test_parameters_are_typed(speak: Speak) -> None:
    said = flat(speak(":workers 2", ":workers many", ":picture", ":picture", ":algorithm direct"))
    assert "Picture: start: 2 workers" in said
    assert "workers is 'many'; accepted: a whole number" in said
    assert ":algorithm ring who sends what to whom" in said
    assert said.count("Picture: start: 3 workers") >= 2  # as it opened, and the lesson's once more
    said = flat(speak(":gpus", ":+", ":params 70e9", ":stage 3", where="demo-bytes"))
    assert "gpus 8: GPUs that share" in said
    assert "Picture: 7B parameters on 16 GPUs" in said
    assert "70B parameters" in said
    assert "There is no picture in this step." in flat(speak(":picture", ":+", where="second"))


# The exercise


def test_an_exercise_from_its_file_to_its_solution(speak: Speak, study: Study) -> None:
    path = study.exercise_path("all_sums")
    said = flat(speak(":check", "def", ":start", ":start", ":check", ":hint", "", where="demo-write"))
    assert "There is no file to check yet" in said
    assert "This step is answered by a file" in said
    assert f"Written: {path}" in said
    assert "Already there, and left as it is" in said
    assert (
        "Not right: 2 of 2 cases. The first, two workers, two numbers: worker 0, chunk 0: expected 11, yours 1" in said
    )
    assert "yours 1, expected 11" in said  # in the words of the picture too
    assert "Hint 1 of 1: numpy.sum adds along an axis." in said
    assert "This exercise is open" in said
    exercise = study.exercise("all_sums")
    path.write_text((exercise.folder / "solution.py").read_text())
    said = flat(speak(":check"))
    assert "Right: all_sums passes all 2 cases. An all-reduce does no more than this. Enter goes on." in said
    assert study.standing("all_sums").state == SOLVED
    assert "Solved. Your file is" in flat(speak())


def test_a_solution_is_shown_as_it_is(speak: Speak, study: Study) -> None:
    said = speak(":reveal", ":reveal", where="demo-write")
    assert "    total = np.sum(arrays, axis=0)\n" in said
    assert study.standing("all_sums").state == REVEALED


def test_no_exercise_here(speak: Speak) -> None:
    assert flat(speak(":start", ":check")).count("There is no exercise in this step.") == 2


# Leaving


def test_quitting(speak: Speak, study: Study) -> None:
    said = speak("2", "", ":quit", "never read")
    assert flat(said).endswith("You are in Demo, at step 2 of 6; next time it goes on from there.")
    assert "never read" not in said
    assert where(study) == "demo-number"


# Practice


def test_practice_goes_on_until_the_learner_goes_back(speak: Speak, study: Study) -> None:
    said = flat(
        speak(
            ":practice kinds", "?", ":hint", ":zz", ":reveal", ":reveal", "no answer of any kind", ":back", ":lessons"
        )
    )
    assert "10 problems, two tries each." in said
    assert "Problem 1 of 10, from More kinds" in said
    assert ":zz is no command of practice." in said
    assert "The answer: " in said
    assert "Problem 2 of 10" in said
    assert "Not firm yet: - More kinds: " in said
    assert "demo: Demo, 5 minutes" in said
    assert "no lesson is called 'nothing'" in flat(speak(":practice nothing"))
    assert flat(speak(":practice kinds", ":quit", ":lessons")).count("demo: Demo") == 0
