"""A course in a hall: seats, the board of who is where, the projector, and the day around them.

`board` keeps what a class does and says who may do what; `server` puts it beside the built site;
`pages` are what the browsers of learners, instructor and projector load.
"""
