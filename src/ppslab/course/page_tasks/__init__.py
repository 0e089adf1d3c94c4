"""A lab's tasks for the router in the page: what it needs to know of them, and what it cannot do.

`plan` lets the tasks' own testbed and router say their commands at build time, without a lab; the
page tells them to its nodes, and the same engine judges (ppslab.course.tasks.engine).
"""

from ppslab.course.page_tasks.absent import Absent, Why
from ppslab.course.page_tasks.plan import condition, plan

__all__ = ["Absent", "Why", "condition", "plan"]
