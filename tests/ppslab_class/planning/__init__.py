"""Timetable, outlines and handouts of a class."""
