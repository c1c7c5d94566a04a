"""The suites: one module a category of checks, one test function a check.

The first line of a test's docstring is the title of its check. Expectations come from `validation/expected`, verdicts
from `validation/verdict`.
"""
