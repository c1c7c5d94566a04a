"""Documents that people build a site from and keep with it, one module each: found by its function ``files``.

Made on demand: spreadsheets, PDF and pictures cost more time than everything else a plan becomes.
"""
