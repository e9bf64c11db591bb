"""The texts of a lesson to begin from: `@id@` is its id, `@title@` its title, `@name@` what its function is called."""

from __future__ import annotations

MISCONCEPTIONS = {
    "passes-without-adding": "In a ring the arrays only travel round; nothing is added on the way.",
    "sent-is-gone": "A worker that sends a chunk no longer has it.",
    "one-phase-only": "An all-reduce is over after N-1 steps, when each sum is finished somewhere.",
    "n-for-n-minus-1": "N workers in a ring need N steps a phase, one for each worker.",
}

COURSE = """\
title = "@course@"
lessons = []

# What learners are known to believe. Each [[wrong]] of a question names one of these ids.
[misconceptions]
"""

LESSON = """\
+++
id = "@id@"
title = "@title@"
about = "What four workers do in a ring, and how many steps it takes them."
minutes = 10
+++

## Four workers in a ring {#@id@-first-look}

**The question of this lesson.** Many workers each hold an array, and all need
the sum. Below, the arrays are cut into chunks, and in each step every worker
sends one chunk to its right neighbour. Each will have sent
{{ring.bytes_sent workers=4 bytes=32 | B}} in the end.

Move the picture with the arrow keys.

```live @id@-ring
show = "all-reduce"
algorithm = "ring"
values = [[1, 2, 3, 4], [10, 20, 30, 40], [100, 200, 300, 400], [1000, 2000, 3000, 4000]]
```

```ask @id@-first-sum
kind = "number"
live = "@id@-ring"
prompt = "After the first step, what is worker 1's first number?"
answer = "cell step=1 worker=1 chunk=0"
hints = ["Who sends to worker 1?", "Worker 0 has sent its first chunk, and worker 1 adds it."]
why = "Worker 1 adds what arrives to what it has."

[[wrong]]
is = "cell step=0 worker=0 chunk=0"
misconception = "passes-without-adding"
say = "That is what arrived. Worker 1 adds it to its own number."

[[wrong]]
is = "cell step=0 worker=1 chunk=0"
misconception = "sent-is-gone"
say = "That is what worker 1 had. Something has arrived from worker 0."
```

## Count the steps {#@id@-steps}

First every chunk is added up on its way round, then the finished sums are
copied. Both phases take the same number of steps.

```ask @id@-how-many
kind = "number"
vary = { workers = [8, 16, 64] }
prompt = "How many steps does a ring of {{workers}} workers take?"
answer = "ring.steps workers=workers"
unit = "steps"
hints = ["How often must a chunk move until all have added to it?", "And until all have a copy?"]
why = "{{workers - 1}} steps add, and {{workers - 1}} copy."

[[wrong]]
is = "workers - 1"
misconception = "one-phase-only"
say = "That is one phase: now one worker has each sum. The others still need it."

[[wrong]]
is = "2 * workers"
misconception = "n-for-n-minus-1"
say = "A chunk need not travel to the worker on which it starts."
```

## Write it {#@id@-write-it}

Training needs the mean of the workers' gradients rather than their sum.

```code @name@_mean
title = "The mean on every worker"
prompt = "Write `@name@_mean(arrays)`: from one array a worker to the list of what each holds afterwards."
hints = ["Add up all arrays first.", "`sum(arrays) / len(arrays)` is the mean; every worker holds a copy of it."]
why = "All workers end with the same array, so all make the same step."
```

## What to remember {#@id@-remember}

- Every worker sends in every step, and nobody waits for a root.
- One phase adds, the other copies.
"""

TASK = '''\
import numpy as np


def @name@_mean(arrays):
    """What each worker holds after an all-reduce that takes the mean.

    arrays: one NumPy array a worker, all of one length. Return a list with as many arrays.
    """
    # Now each worker keeps its own array.
    return [array.copy() for array in arrays]
'''

SOLUTION = """\
def @name@_mean(arrays):
    mean = sum(arrays) / len(arrays)
    return [mean.copy() for _ in arrays]
"""

CHECK = '''\
"""What is right, and what is said of what is not. `tutor/checker/definition.py` lists all that may stand here."""

import numpy as np

floats_for_ints = True


def cases(seed):
    """Name, arguments by name, limits (None for the usual ones): simple and awkward ones, fresh for each seed."""
    random = np.random.default_rng(seed)
    for workers, length in [(2, 3), (4, 8), (3, 5), (1, 4)]:
        arrays = [random.integers(1, 100, length).astype(float) for _ in range(workers)]
        yield f"{workers} workers, {length} numbers", {"arrays": arrays}, None


def expected(arguments):
    arrays = arguments["arrays"]
    return [sum(arrays) / len(arrays) for _ in arrays]


def explain(arguments, expected, got, difference):
    """A better reason for a mistake that is known; None leaves the comparison's own."""
    arrays = arguments["arrays"]
    if np.array_equal(np.shape(got), np.shape(expected)) and np.allclose(got, [sum(arrays)] * len(arrays)):
        return {"reason": "This is the sum. Divide it by the number of workers."}
    return None
'''

MUTANTS = {
    "sum_for_mean": """\
def @name@_mean(arrays):
    return [sum(arrays) for _ in arrays]
""",
    "worker_0_alone": """\
def @name@_mean(arrays):
    return [sum(arrays) / len(arrays), *arrays[1:]]
""",
    "mean_along_the_array": """\
def @name@_mean(arrays):
    return [array * 0 + array.mean() for array in arrays]
""",
}
