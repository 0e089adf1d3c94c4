"""Before the day: a timetable for given hours, a page to hand out, an exit ticket, an outline."""
