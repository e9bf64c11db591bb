"""Everything that can be shown, by name. The engine is imported when a scene is built."""

from __future__ import annotations

from simlib.errors import BadArgument
from tutor.views.activation_topics import ACTIVATION_TOPICS
from tutor.views.collective_topics import COLLECTIVE_TOPICS
from tutor.views.layout_topics import LAYOUT_TOPICS
from tutor.views.pipeline_topics import PIPELINE_TOPICS
from tutor.views.scene import Topic
from tutor.views.tensor_topics import TENSOR_TOPICS
from tutor.views.training_topics import TRAINING_TOPICS
from tutor.views.utilisation_topics import UTILISATION_TOPICS

TOPICS: dict[str, Topic] = {
    known.name: known
    for known in (
        *COLLECTIVE_TOPICS,
        *TRAINING_TOPICS,
        *TENSOR_TOPICS,
        *ACTIVATION_TOPICS,
        *UTILISATION_TOPICS,
        *LAYOUT_TOPICS,
        *PIPELINE_TOPICS,
    )
}


def topic(name: str) -> Topic:
    """The topic called `name`. Raises BadArgument that lists the names.

    >>> topic("all-reduce").scene({"values": [[1, 2], [10, 20]]}).data()["result"]
    [[11, 22], [11, 22]]
    """
    if name not in TOPICS:
        raise BadArgument("topic", name, ", ".join(TOPICS))
    return TOPICS[name]
