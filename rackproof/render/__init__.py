"""Plan to text: switch configuration, tables, documents and Ansible inventory; and switch configuration back to intent.

Nothing here opens a connection. Start at ``site`` (all files of a site) and ``switch`` (one switch); each NOS is a
package of ``nos``.
"""
