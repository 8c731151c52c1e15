"""leadline import: results of other programs as leadline-report/1.

One module a format; formats.py has the table of them, result.py what they share.
"""
