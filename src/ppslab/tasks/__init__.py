"""Tasks at a lab: set up, looked at, hinted at, solved, and proven to be able to fail.

`reading` makes of labs/LAB/tasks.yml the `Tasks`; `walking` does what a learner asks for, on a lab
that `grounds` stands up; `state` keeps what was done.
"""
