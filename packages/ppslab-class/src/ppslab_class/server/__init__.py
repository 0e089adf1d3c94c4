"""The site and the board from one process: HTTP(S) by Tornado, files compressed once, polling."""
