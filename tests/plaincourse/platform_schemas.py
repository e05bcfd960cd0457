"""The forms of results, written from each platform's own documentation.

- Gradescope: Autograder Specifications, "Output format" and the two sections on visibility and
  formatting below it.
- PrairieLearn: External Grading, "Grading results"; the options of a question are those of its
  schema ``infoQuestion.json``.
- Classroom 50: Advanced Autograding, "The result.json contract", and its ``result-v1`` schema.
"""

from typing import Any

_TEXT: dict[str, Any] = {"type": "string"}
_POINTS: dict[str, Any] = {"type": "number", "minimum": 0}
_WHOLE: dict[str, Any] = {"type": "integer", "minimum": 0}
_SEEN = {"enum": ["hidden", "after_due_date", "after_published", "visible"]}
_FORMAT = {"enum": ["text", "html", "simple_format", "md", "ansi"]}
_NAMED = {"type": "string", "minLength": 1}


def _closed(required: str, **fields: Any) -> dict[str, Any]:
    """Return the schema of an object without further fields."""
    return {
        "type": "object",
        "additionalProperties": False,
        "required": required.split(),
        "properties": fields,
    }


GRADESCOPE = _closed(
    "score tests",
    score=_POINTS,
    execution_time=_POINTS,
    output=_TEXT,
    output_format=_FORMAT,
    test_output_format=_FORMAT,
    test_name_format=_FORMAT,
    visibility=_SEEN,
    stdout_visibility=_SEEN,
    extra_data={"type": "object"},
    leaderboard={"type": "array"},
    tests={
        "type": "array",
        "items": _closed(
            "name",
            score=_POINTS,
            max_score=_POINTS,
            status={"enum": ["passed", "failed"]},
            name=_NAMED,
            name_format=_FORMAT,
            number=_TEXT,
            output=_TEXT,
            output_format=_FORMAT,
            tags={"type": "array", "items": _TEXT},
            visibility=_SEEN,
            extra_data={"type": "object"},
        ),
    },
)
PRAIRIELEARN: dict[str, Any] = {
    "type": "object",
    "properties": {
        "gradable": {"type": "boolean"},
        "score": {"type": "number", "minimum": 0, "maximum": 1},
        "format_errors": {"anyOf": [_TEXT, {"type": "array", "items": _TEXT}]},
        "message": _TEXT,
        "output": _TEXT,
        "tests": {
            "type": "array",
            "items": _closed(
                "name",
                name=_NAMED,
                description=_TEXT,
                points=_POINTS,
                max_points=_POINTS,
                message=_TEXT,
                output=_TEXT,
            ),
        },
    },
    "if": {"properties": {"gradable": {"const": False}}, "required": ["gradable"]},
    "then": {"required": ["format_errors"]},
    "else": {"required": ["score"]},
}
QUESTION = _closed(
    "uuid type title topic",
    uuid={"type": "string", "pattern": "^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$"},
    type={"const": "v3"},
    title=_NAMED,
    topic=_NAMED,
    singleVariant={"type": "boolean"},
    gradingMethod={"enum": ["Internal", "External", "Manual"]},
    externalGradingOptions=_closed(
        "image entrypoint",
        enabled={"type": "boolean"},
        image=_NAMED,
        entrypoint=_NAMED,
        timeout={"type": "integer", "maximum": 600},
        enableNetworking={"type": "boolean"},
        environment={"type": "object"},
    ),
)
_UTC = {"type": "string", "pattern": r"^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}Z$"}
CLASSROOM50 = _closed(
    "schema classroom assignment assignment_type owner submission commit release review datetime "
    "score max-score tests",
    **{"max-score": _WHOLE},
    schema={"const": "classroom50/result/v1"},
    classroom=_NAMED,
    assignment=_NAMED,
    assignment_type={"enum": ["individual", "group"]},
    owner=_NAMED,
    submission={"type": "string", "pattern": "^submit/"},
    commit=_NAMED,
    release=_NAMED,
    review=_NAMED,
    datetime=_UTC,
    graded_at=_UTC,
    score=_WHOLE,
    submitted_by={"type": "object"},
    tests={
        "type": "array",
        "items": {
            "type": "object",
            "required": ["test-name", "passed", "score", "max-score"],
            "properties": {
                "test-name": _NAMED,
                "passed": {"type": "boolean"},
                "score": _WHOLE,
                "max-score": _WHOLE,
            },
        },
    },
)
