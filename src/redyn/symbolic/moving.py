"""What the equations of a robot say of positions and velocities."""

from __future__ import annotations

from functools import cached_property

from redyn.kinematics.robot_like import LinkName
from redyn.model import Frame
from redyn.symbolic.kinematics import Kinematics, link_frames, symbolic_frame
from redyn.symbolic.notation import Expr
from redyn.symbolic.results import Matrix
from redyn.symbolic.tree import TreeEquations

KINEMATIC_QUANTITIES = ("forward_kinematics", "jacobian", "velocity", "speed_squared")


class MovingEquations(TreeEquations):
    """Poses, Jacobians and velocities of frames. `link` is a frame's name or a link's index; None: the end effector."""

    @cached_property
    def _kinematics(self) -> Kinematics:
        return Kinematics(self.closed)

    def _frame(self, link: LinkName) -> tuple[str, Frame]:
        robot = self.free or self.robot
        name = robot.frame_name(link)
        numbers = self.with_numbers() if self.symbolic.contacts else self.symbolic
        return name, symbolic_frame(self.robot, self.symbolic, numbers, name)

    def _kept(self, what: str, link: LinkName) -> Expr:
        name, frame = self._frame(link)
        key = f"{what} of {name}"
        if key not in self._made:
            moving, closed = self._kinematics, self.closed
            match what:
                case "forward_kinematics":
                    found = closed.written(moving.pose(frame))
                case "jacobian":
                    found = closed.written(moving.jacobian(frame))
                case "velocity":
                    _, qd = closed.state(("q", "qd"))
                    rows = moving.jacobian(frame)
                    totals = [
                        sum((a * b for a, b in zip(row, qd, strict=True)), closed.arith.ring.zero) for row in rows
                    ]
                    found = closed.written([[total] for total in totals])
                case _:
                    found = closed.write(moving.speed_squared(frame))
            self._made[key] = found
        return self._made[key]

    def forward_kinematics(self, link: LinkName = None) -> Matrix:
        """The 4x4 pose of a frame in the world.

        >>> import redyn
        >>> redyn.derive("two-link").forward_kinematics()[:2, 3]
        Matrix([
        [a_1*cos(theta_1) + a_2*cos(theta_1 + theta_2)],
        [a_1*sin(theta_1) + a_2*sin(theta_1 + theta_2)]])
        """
        return self._kept("forward_kinematics", link)

    def transforms(self, link: LinkName = None) -> list[Matrix]:
        """The transforms from the world to a frame, joint by joint, whose product is `forward_kinematics`.

        Of a DH table they are those of its rows; of other robots, between axes that are on the joints. A joint with
        several rates has one.

        >>> import redyn
        >>> first, second = redyn.derive("two-link").transforms()
        >>> first[0, :]
        Matrix([[cos(theta_1), -sin(theta_1), 0, a_1*cos(theta_1)]])
        """
        _, last = self._frame(link)
        return [self.closed.written(rows) for rows in self._kinematics.transforms(self._link_frames, last)]

    @cached_property
    def _link_frames(self) -> list[Frame]:
        return link_frames(self.robot, self.symbolic)

    def link_transform(self, i: int) -> Matrix:
        """The frame of link i, from 1, in that of the link before it, as `transforms` has them."""
        frames = self._link_frames
        return self.closed.written(self._kinematics.transforms(frames, frames[i - 1])[-1])

    def link_pose(self, i: int) -> Matrix:
        """The same frame in the world."""
        return self.closed.written(self._kinematics.pose(self._link_frames[i - 1]))

    def jacobian(self, link: LinkName = None) -> Matrix:
        """6 x dof: the twist of a frame at its origin is jacobian * qd; angular rows first, world axes.

        >>> import redyn
        >>> redyn.derive("two-link").jacobian()[4, :]
        Matrix([[a_1*cos(theta_1) + a_2*cos(theta_1 + theta_2), a_2*cos(theta_1 + theta_2)]])
        """
        return self._kept("jacobian", link)

    def velocity(self, link: LinkName = None) -> Matrix:
        """The twist of a frame at its origin: angular velocity, then velocity, in world axes."""
        return self._kept("velocity", link)

    def speed_squared(self, link: LinkName = None) -> Expr:
        """V^2 of a frame's origin.

        >>> import redyn
        >>> redyn.derive("lagrange-pointing").speed_squared()
        a_2**2*(theta_dot_1**2*cos(theta_2)**2 + theta_dot_2**2)
        """
        return self._kept("speed_squared", link)

    @cached_property
    def coordinate_rates(self) -> Matrix:
        """The rates of q: qd itself, but for joints that turn about a point, where they are E(q) qd."""
        return self.closed.written([[p] for p in self._kinematics.coordinate_rates()])
