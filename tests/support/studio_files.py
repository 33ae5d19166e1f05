"""Files for tests of the studio: robots in archives, and uploads that are read here, without a process of their own."""

import io
import zipfile

from redyn.studio import inbox, reader
from redyn.studio.uploads import UploadError

URDF = b"""<robot name="pendulum"><link name="base"/><link name="rod"><inertial>
<origin xyz="0 0 -0.5"/><mass value="1"/><inertia ixx="0.1" iyy="0.1" izz="0.01" ixy="0" ixz="0" iyz="0"/>
</inertial></link>
<joint name="hinge" type="continuous"><parent link="base"/><child link="rod"/><axis xyz="0 1 0"/></joint></robot>"""


def zipped(entries, **attributes):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, content in entries.items():
            entry = zipfile.ZipInfo(name)
            entry.compress_type = zipfile.ZIP_DEFLATED
            for key, value in attributes.items():
                setattr(entry, key, value)
            packed.writestr(entry, content)
    return buffer.getvalue()


class Here:
    """Reads in this process what readers.Readers reads in others."""

    def read(self, kind, folder, name, choice=None):
        answer = reader.carry_out({"kind": kind, "folder": str(folder), "name": name, "choice": choice})
        if "error" in answer:
            raise UploadError(answer["error"])
        return answer


def put(state, name, data):
    path = inbox.place(state.folder, name)
    path.write_bytes(data)
    return path


def upload_robot(state, name, data, choice=None):
    opened = inbox.open_robot(Here(), put(state, name, data), choice)
    state.open(opened)
    return opened


def upload_motion(state, name, data):
    path = put(state, name, data)
    state.motion.take(path.name, inbox.read_columns(Here(), path), state.robot)


def upload_torque(state, name, data):
    path = put(state, name, data)
    state.run.take(path.name, inbox.read_columns(Here(), path), state.robot)
