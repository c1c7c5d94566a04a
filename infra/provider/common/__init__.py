"""What every kind of resource is built on: its interface, property values, input checks, and the site behind it.

The kinds themselves are in `infra/provider/kinds`, the service that the engine calls is in `infra/provider`.
"""
