"""What redyn raises. Every message says what is wrong, where, and what would be right."""


class RedynError(Exception):
    """Any mistake that the user can mend."""


class RedynWarning(UserWarning):
    """Something that a user should know and may well live with."""


class DescriptionError(RedynError):
    """A robot's description is wrong; `where` names the place, such as `links[2].inertia`."""

    def __init__(self, where: str, message: str) -> None:
        super().__init__(f"{where}: {message}" if where else message)
        self.where = where


class InputError(RedynError):
    """An argument of a call is wrong: its length, its type, or a value that is not finite."""


class SingularError(RedynError):
    """The accelerations are not determined: some joint moves no inertia at all."""


class MissingExtraError(RedynError):
    """An optional package is not installed."""

    def __init__(self, package: str, extra: str, purpose: str) -> None:
        super().__init__(f"{purpose} needs {package}, which is not installed: pip install 'redyn[{extra}]'")
