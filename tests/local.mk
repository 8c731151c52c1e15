# Tests speak TAP. tests/run starts each under its rank counts; tests/env is made
# by configure and tells it which launcher, programs and directories to use.
