"""Pinocchio's own reading of an exported URDF, in redyn's joint order."""

import pinocchio as pin

from redyn.verify.pinocchio_peer import Pinocchio


def exported(robot):
    """The robot as Pinocchio reads redyn's export of it: with its gravity, without rotor inertia."""
    peer = Pinocchio(pin.buildModelFromXML(robot.to_urdf()), robot.joint_names)
    peer.model.gravity.linear = robot.gravity
    peer.model.armature[:] = 0.0
    return peer
