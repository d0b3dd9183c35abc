"""What can go wrong, as a person is told it.

Every error that leaves the core is one of these; each carries one sentence that says what is wrong, with which value, and
what to do, and a `kind` that is the same word on the command line (`--json`), in LSP (`data.kind`) and for agents::

    MilepostError
    ├── FileChanged         file_changed       the file is no longer the one that was measured
    ├── CursorInvalid       cursor_invalid     the cursor is damaged, or belongs to another request
    ├── NotFound            not_found          no such file, section or anchor
    ├── NotAFile            not_a_file         a folder, a socket, a device
    ├── PermissionRefused   permission         the system does not let us read it
    ├── BinaryFile          binary             no text in it: facts only
    ├── OutOfRange          out_of_range       a line or byte past the end
    ├── ModelError          (base of the next two; says whether the next call can do better)
    │   ├── ModelUnavailable    model_unavailable  no answer from the model's endpoint
    │   └── ModelRefused        model_refused      the model or its host said no
    │       └── ContextExceeded     model_refused      the prompt was longer than the model takes
    ├── BudgetExceeded      budget_exceeded    the run would cost more than it may
    ├── InvalidParams       invalid_params     the request cannot be meant
    └── Cancelled           cancelled          the user stopped it

Nothing else is caught and shown as an answer: any other exception is a fault of ours and keeps its traceback in the log.
"""

from __future__ import annotations

from typing import ClassVar


class MilepostError(Exception):
    """Base of all errors that a user is shown. `str(error)` is the sentence; `kind` is stable on the wire."""

    kind: ClassVar[str] = "error"


class FileChanged(MilepostError):
    """The file on disk is no longer the one that was measured, and did not merely grow."""

    kind = "file_changed"


class CursorInvalid(MilepostError):
    """A cursor that is damaged, or was made for another request."""

    kind = "cursor_invalid"


class NotFound(MilepostError):
    """No such file, section or anchor."""

    kind = "not_found"


class NotAFile(MilepostError):
    """The path names something that is no regular file."""

    kind = "not_a_file"


class PermissionRefused(MilepostError):
    """The operating system does not let this process read the file."""

    kind = "permission"


class BinaryFile(MilepostError):
    """The request needs text and the file has none."""

    kind = "binary"


class OutOfRange(MilepostError):
    """A line or byte past the end of the file."""

    kind = "out_of_range"


class ModelError(MilepostError):
    """What went wrong between us and a model.

    `is_fatal` says that no other call of the run will do better (a wrong key, no such host, no such model). Where it is
    false, this one prompt failed (a refusal, a reply too late or of no use), and the next chunk may fare better.
    """

    def __init__(self, message: str, *, is_fatal: bool = True) -> None:
        super().__init__(message)
        self.is_fatal = is_fatal


class ModelUnavailable(ModelError):
    """The model's endpoint did not answer, or not in time."""

    kind = "model_unavailable"


class ModelRefused(ModelError):
    """The model, its host, or the user refused."""

    kind = "model_refused"


class ContextExceeded(ModelRefused):
    """The prompt was longer than the model takes; a shorter one may do."""


class BudgetExceeded(MilepostError):
    """Going on would cost more than the settings allow."""

    kind = "budget_exceeded"


class InvalidParams(MilepostError):
    """A request whose parameters cannot be meant."""

    kind = "invalid_params"


class Cancelled(MilepostError):
    """The user, or the client, stopped the work."""

    kind = "cancelled"
