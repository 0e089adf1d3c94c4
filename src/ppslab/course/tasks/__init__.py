"""Tasks on a lab: they are set up, checked, hinted at, solved, and proved to be able to fail.

`reading` turns labs/LAB/tasks.yml into `Tasks`; `walking` does what a learner asks for, on a lab
that `testbeds` stands up; `state` keeps what was done.
"""
