"""Contacts with the ground: other ones, and those of a robot whose links change."""

from __future__ import annotations

from collections.abc import Collection

from pydantic import TypeAdapter, ValidationError

from redyn.description.ends import frame_links
from redyn.description.ground_fields import ContactDescription, Contacts
from redyn.description.schema import RobotDescription
from redyn.description.transforms.common import changed
from redyn.description.yaml_file import translated
from redyn.errors import InputError

_contacts: TypeAdapter[list[ContactDescription]] = TypeAdapter(Contacts)


def with_contacts(robot: RobotDescription, contacts: object) -> RobotDescription:
    """The robot with these contacts instead of its own.

    >>> from redyn.description import read
    >>> with_contacts(read("two-link"), [{"link": "link2"}]).contacts[0].link
    'link2'
    """
    try:
        listed = _contacts.validate_python(contacts)
    except ValidationError as error:
        wrong = translated(error, "")
        where = f"contacts{wrong.where}" if wrong.where.startswith("[") else "contacts"
        raise InputError(f"{where}: {wrong.what}") from None
    return changed(robot, "contacts", contacts=listed)


def within(robot: RobotDescription, kept: Collection[str]) -> list[ContactDescription]:
    """Those of a part."""
    owner = frame_links(robot.links)
    return [contact for contact in robot.contacts if owner[str(contact.link)] in kept]


def renamed(robot: RobotDescription, prefix: str) -> list[ContactDescription]:
    """Those of a robot whose links get a prefix."""
    return [contact.model_copy(update={"link": f"{prefix}{contact.link}"}) for contact in robot.contacts]
