"""The inputs of each resource type: typed values from the plan, and the JSON that Pulumi's state holds.

Both sides use them: the program's components declare them, the provider's resource kinds turn them into deploy steps.
"""
