"""The site file: its models, how it is loaded with positions, and what is derived from it without a plan.

Nothing here knows the plan. Start at ``models`` (what a person writes) and ``load``; rules across objects are in
``rules``.
"""
