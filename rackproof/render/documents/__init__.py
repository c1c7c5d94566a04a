"""Documents that people build a site from and keep with it, one module each: found by its function ``files``.

They are made on demand by `rackproof documents`: spreadsheets, PDF and pictures take longer than all other rendering.
Start at ``site`` (all documents) and ``record`` (the plan as documents read it).
"""
