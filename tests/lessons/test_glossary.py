"""The glossary of the course: the words of the field are there, under the names by which learners meet them."""

from __future__ import annotations

import pytest

from tutor.course.glossary import definition, find_term, read_glossary
from tutor.course.model import Course

WORDS = """
rank; worker; world size; collective; all-reduce; reduce-scatter; all-gather; broadcast; scatter; gather; all-to-all;
payload; wire bytes; chunk; ring; latency; alpha; bandwidth; bus bandwidth; busbw; NVLink; NCCL; deadlock; barrier;
micro-batches; global batch size; gradient accumulation; buckets; overlap; exposed communication; critical batch size;
model states; master weights; optimizer states; ZeRO-1; ZeRO-2; ZeRO-3; stage 3; shard; FSDP; unit; prefetch; offload;
hybrid sharding; HSDP; DDP; tensor parallelism; column-parallel; row-parallel; sequence parallelism; stage; pipeline;
bubble; GPipe; 1F1B; warm-up; interleaved; virtual stage; zero bubble; DualPipe; activations; activation checkpointing;
full recomputation; selective recomputation; MFU; HFU; FLOPs; FLOP/s; peak; model FLOPs; mesh; 3D parallelism; layout;
strong scaling; weak scaling; GiB; attention; MLP; token; mixed precision; gradient; parameter
"""


@pytest.mark.parametrize("word", [word.strip() for word in WORDS.split(";")])
def test_the_words_of_the_field_are_explained(course: Course, word: str) -> None:
    assert find_term(read_glossary(course.folder), word) is not None


def test_definitions_are_short_sentences_with_their_figures(course: Course) -> None:
    for term in read_glossary(course.folder):
        text = definition(term)
        assert "{{" not in text
        assert text[0].isupper() or text[0].isdigit()
        assert text.endswith((".", ")")), term.name
        assert 1 <= text.count(". ") + 1 <= 4, term.name


def test_bytes_of_mixed_precision_in_the_definitions(course: Course) -> None:
    terms = read_glossary(course.folder)
    # Rajbhandari et al. 2020, section 3.1: 2 + 2 + 12 bytes a parameter
    for name, figure in (("optimizer states", "12 B"), ("model states", "16 B"), ("weight", "2 B")):
        term = find_term(terms, name)
        assert term is not None
        assert figure in definition(term)
